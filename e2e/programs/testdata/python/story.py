"""The story of story.md on the SDK for Python, 1.0.0 and newer."""

import asyncio
import json
import os
import sys
from pathlib import Path

from copilot import CopilotClient, RuntimeConnection, define_tool
from copilot.rpc import PermissionDecisionApproveOnce, PermissionDecisionReject
from copilot.session import PermissionHandler
from copilot.session_events import (
    AssistantMessageData,
    AssistantMessageDeltaData,
    PermissionRequestShell,
    SessionIdleData,
    UserMessageData,
)
from pydantic import BaseModel, ConfigDict, Field

TRANSPORT = os.environ["STORY_TRANSPORT"]
DIR = Path(os.environ["STORY_DIR"])


def check(ok, what):
    if not ok:
        raise AssertionError(what)


def connection():
    match TRANSPORT:
        case "stdio":
            return RuntimeConnection.for_stdio()
        case "tcp":
            return RuntimeConnection.for_uri(os.environ["STORY_ADDR"], connection_token=os.environ["STORY_TOKEN"])
        case "inprocess":
            return RuntimeConnection.for_inprocess()


async def connect():
    client = CopilotClient(connection=connection())
    await client.start()
    return client


def settings(**more):
    """The settings of every session, and those of one step."""
    return {
        "model": "test-model",
        "provider": {"type": "openai", "base_url": os.environ["STORY_MODEL_URL"], "api_key": "story-key"},
        "working_directory": str(DIR),
        "on_permission_request": PermissionHandler.approve_all,
        **more,
    }


async def ask(session, prompt, want):
    answer = await session.send_and_wait(prompt, timeout=30)
    check(answer is not None and answer.data.content == want, f"the answer to {prompt!r} is {answer}")


class Weather(BaseModel):
    city: str = Field(description="The city.")


async def tool(client):
    cities = []

    @define_tool(description="Tells the weather in a city.")
    async def get_weather(params: Weather) -> str:
        cities.append(params.city)
        return f"7 degrees in {params.city}"

    async with await client.create_session(**settings(tools=[get_weather])) as session:
        await ask(session, "tool: what is the weather in Oslo?", "It is 7 degrees in Oslo.")
    check(cities == ["Oslo"], f"the tool was called with {cities}")
    return client


async def streaming(client):
    pieces = []

    def on_event(event):
        match event.data:
            case AssistantMessageDeltaData() as data:
                pieces.append(data.delta_content)

    want = ", ".join(str(n) for n in range(1, 21)) + "."
    async with await client.create_session(**settings(streaming=True)) as session:
        session.on(on_event)
        await ask(session, "streaming: count to twenty.", want)
    check(len(pieces) > 1 and "".join(pieces) == want, f"the pieces are {pieces}")
    return client


async def permission(client):
    asked = []

    def on_permission_request(request, invocation):
        match request:
            case PermissionRequestShell(full_command_text=command):
                asked.append(command)
                if "denied.txt" in command:
                    return PermissionDecisionReject(feedback="not this one")
        return PermissionDecisionApproveOnce()

    async with await client.create_session(**settings(on_permission_request=on_permission_request)) as session:
        await session.send_and_wait("permission: make the first file.", timeout=30)
        await ask(session, "permission: make the second file.", "One file is there.")
    check(asked == ["touch denied.txt", "touch allowed.txt"], f"the handler was asked for {asked}")
    check((DIR / "allowed.txt").exists(), "the allowed command did not run")
    check(not (DIR / "denied.txt").exists(), "the denied command ran")
    return client


async def ask_user(client):
    questions = []

    async def on_user_input_request(request, invocation):
        questions.append((request["question"], request["choices"]))
        return {"answer": "blue", "wasFreeform": False}

    async with await client.create_session(**settings(on_user_input_request=on_user_input_request)) as session:
        await ask(session, "ask: which colour?", "You chose blue.")
    check(questions == [("Which colour?", ["red", "blue"])], f"the questions are {questions}")
    return client


async def hooks(client):
    called, results = [], []

    @define_tool(description="Opens the door.")
    async def open_door() -> str:
        called.append("open_door")
        return "the door is open"

    @define_tool(description="Rings the bell.")
    async def ring_bell() -> str:
        called.append("ring_bell")
        return "the bell rang"

    async def on_pre_tool_use(input, invocation):
        if input["toolName"] == "open_door":
            return {"permissionDecision": "deny", "permissionDecisionReason": "doors stay shut"}
        return {"permissionDecision": "allow"}

    async def on_post_tool_use(input, invocation):
        results.append((input["toolName"], json.dumps(input["toolResult"])))

    guards = {"on_pre_tool_use": on_pre_tool_use, "on_post_tool_use": on_post_tool_use}
    async with await client.create_session(**settings(tools=[open_door, ring_bell], hooks=guards)) as session:
        await ask(session, "hooks: use both tools.", "The bell rang, and the door stayed shut.")
    check(called == ["ring_bell"], f"the tools {called} were called")
    check(any(name == "ring_bell" and "the bell rang" in result for name, result in results), f"the results are {results}")
    return client


async def provider(client):
    async with await client.create_session(**settings()) as session:
        await ask(session, "provider: is my key right?", "Your key is right.")
    return client


async def mcp(client):
    command, *args = json.loads(os.environ["STORY_MCP"])
    servers = {"counter": {"type": "local", "command": command, "args": args, "tools": ["*"]}}
    async with await client.create_session(**settings(mcp_servers=servers)) as session:
        await ask(session, "mcp: count to two.", "The server counted.")
    return client


class Count(BaseModel):
    model_config = ConfigDict(extra="forbid")
    n: int


async def structured(client):
    async with await client.create_session(**settings()) as session:
        count = await session.send_and_wait_typed("structured: how many?", Count, timeout=30)
    check(count.n == 42, f"the count is {count}")
    return client


async def abort(client):
    thinking, idle = asyncio.Event(), asyncio.Event()

    def on_event(event):
        match event.data:
            case AssistantMessageDeltaData():
                thinking.set()
            case SessionIdleData():
                idle.set()

    async with await client.create_session(**settings(streaming=True)) as session:
        session.on(on_event)
        await session.send("abort: think for an hour.")
        await asyncio.wait_for(thinking.wait(), 30)
        await session.abort()
        await asyncio.wait_for(idle.wait(), 30)
        await ask(session, "abort: are you there?", "I am here.")
    return client


async def join(client):
    if TRANSPORT != "tcp":
        session = await client.create_session(**settings())
        await ask(session, "join: say hello.", "Hello to both.")
        await session.disconnect()
        await client.stop()
        client = await connect()
        async with await client.resume_session(session.session_id, **settings()) as session:
            await ask(session, "join: say goodbye.", "Goodbye to both.")
        return client

    want = ["Hello to both.", "Goodbye to both."]

    def listen(session):
        heard, complete, idle = [], asyncio.Event(), asyncio.Event()

        def on_event(event):
            match event.data:
                case SessionIdleData():
                    idle.set()
                case AssistantMessageData() as data:
                    heard.append(data.content)
                    if len(heard) == len(want):
                        complete.set()

        session.on(on_event)
        return heard, complete, idle

    async with await client.create_session(**settings()) as first:
        ears = [listen(first)]
        guest = await connect()
        async with await guest.resume_session(first.session_id, **settings()) as second:
            ears.append(listen(second))
            await ask(first, "join: say hello.", want[0])
            await asyncio.wait_for(ears[1][2].wait(), 30)  # or send_and_wait takes a late end of the first turn for its own
            await ask(second, "join: say goodbye.", want[1])
            for heard, complete, _ in ears:
                await asyncio.wait_for(complete.wait(), 30)
                check(heard == want, f"a client heard {heard}")
        await guest.stop()
    return client


async def list_sessions(client):
    prompt, answer = "list: remember the milk.", "I remember the milk."
    session = await client.create_session(**settings())
    await ask(session, prompt, answer)
    check(session.session_id in [s.session_id for s in await client.list_sessions()], "the session is not in the list")
    said, heard = [], []
    for event in await session.get_events():
        match event.data:
            case UserMessageData() as data:
                said.append(data.content)
            case AssistantMessageData() as data:
                heard.append(data.content)
    check(said == [prompt] and heard == [answer], f"the messages are {said} and {heard}")
    await session.disconnect()
    await client.delete_session(session.session_id)
    check(session.session_id not in [s.session_id for s in await client.list_sessions()], "the deleted session is in the list")
    return client


async def restart(client):
    session = await client.create_session(**settings())
    await ask(session, "restart: my name is Ann.", "Hello, Ann.")
    if TRANSPORT == "tcp":
        print("restart?", flush=True)
        check(await asyncio.to_thread(sys.stdin.readline) == "restarted\n", "the server was not restarted")
        await client.force_stop()
    else:
        await client.stop()
    client = await connect()
    async with await client.resume_session(session.session_id, **settings()) as session:
        await ask(session, "restart: what is my name?", "You are Ann.")
    return client


STEPS = {
    "tool": tool,
    "streaming": streaming,
    "permission": permission,
    "ask": ask_user,
    "hooks": hooks,
    "provider": provider,
    "mcp": mcp,
    "structured": structured,
    "abort": abort,
    "join": join,
    "list": list_sessions,
    "restart": restart,
}


async def main():
    client = await connect()
    for step in os.environ["STORY_STEPS"].split(","):
        client = await STEPS[step](client)
        print("ok", step, flush=True)
    await client.stop()
    print("done", flush=True)


asyncio.run(main())
