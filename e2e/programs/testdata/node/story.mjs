// The story of story.md on the SDK for Node, 1.0.14 and newer.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CopilotClient, RuntimeConnection, approveAll, defineTool } from "@github/copilot-sdk";
import { z } from "zod";

const { STORY_TRANSPORT, STORY_ADDR, STORY_TOKEN, STORY_MODEL_URL, STORY_DIR, STORY_MCP, STORY_STEPS } = process.env;

function check(ok, what) {
  if (!ok) throw new Error(what);
}

function same(got, want, what) {
  check(JSON.stringify(got) === JSON.stringify(want), `${what}: ${JSON.stringify(got)}`);
}

function connection() {
  switch (STORY_TRANSPORT) {
    case "stdio":
      return RuntimeConnection.forStdio();
    case "tcp":
      return RuntimeConnection.forUri(STORY_ADDR, { connectionToken: STORY_TOKEN });
    case "inprocess":
      return RuntimeConnection.forInProcess();
  }
}

async function connect() {
  const client = new CopilotClient({ connection: connection() });
  await client.start();
  return client;
}

async function stop(client) {
  const failed = await client.stop();
  if (failed.length > 0) throw failed[0];
}

// The settings of every session, and those of one step.
function settings(more = {}) {
  return {
    model: "test-model",
    provider: { type: "openai", baseUrl: STORY_MODEL_URL, apiKey: "story-key" },
    workingDirectory: STORY_DIR,
    onPermissionRequest: approveAll,
    ...more,
  };
}

async function ask(session, prompt, want) {
  const answer = await session.sendAndWait({ prompt }, 30000);
  same(answer?.data.content, want, `the answer to "${prompt}"`);
}

// Each step returns the client that the next one uses.
const steps = {
  async tool(client) {
    const cities = [];
    const getWeather = defineTool("get_weather", {
      description: "Tells the weather in a city.",
      parameters: z.object({ city: z.string().describe("The city.") }),
      handler: async ({ city }) => {
        cities.push(city);
        return `7 degrees in ${city}`;
      },
    });
    const session = await client.createSession(settings({ tools: [getWeather] }));
    await ask(session, "tool: what is the weather in Oslo?", "It is 7 degrees in Oslo.");
    await session.disconnect();
    same(cities, ["Oslo"], "the tool was called with");
    return client;
  },

  async streaming(client) {
    const want = `${Array.from({ length: 20 }, (_, i) => i + 1).join(", ")}.`;
    const pieces = [];
    const session = await client.createSession(settings({ streaming: true }));
    session.on("assistant.message_delta", (event) => pieces.push(event.data.deltaContent));
    await ask(session, "streaming: count to twenty.", want);
    await session.disconnect();
    check(pieces.length > 1 && pieces.join("") === want, `the pieces are ${JSON.stringify(pieces)}`);
    return client;
  },

  async permission(client) {
    const asked = [];
    const onPermissionRequest = async (request) => {
      if (request.kind !== "shell") return { kind: "approve-once" };
      asked.push(request.fullCommandText);
      return request.fullCommandText.includes("denied.txt") ? { kind: "reject", feedback: "not this one" } : { kind: "approve-once" };
    };
    const session = await client.createSession(settings({ onPermissionRequest }));
    await session.sendAndWait({ prompt: "permission: make the first file." }, 30000);
    await ask(session, "permission: make the second file.", "One file is there.");
    await session.disconnect();
    same(asked, ["touch denied.txt", "touch allowed.txt"], "the handler was asked for");
    check(existsSync(join(STORY_DIR, "allowed.txt")), "the allowed command did not run");
    check(!existsSync(join(STORY_DIR, "denied.txt")), "the denied command ran");
    return client;
  },

  async ask(client) {
    const questions = [];
    const onUserInputRequest = async (request) => {
      questions.push([request.question, request.choices]);
      return { answer: "blue", wasFreeform: false };
    };
    const session = await client.createSession(settings({ onUserInputRequest }));
    await ask(session, "ask: which colour?", "You chose blue.");
    await session.disconnect();
    same(questions, [["Which colour?", ["red", "blue"]]], "the questions are");
    return client;
  },

  async hooks(client) {
    const called = [];
    const results = [];
    const simple = (name, description, result) =>
      defineTool(name, {
        description,
        parameters: z.object({}),
        handler: async () => {
          called.push(name);
          return result;
        },
      });
    const session = await client.createSession(
      settings({
        tools: [simple("open_door", "Opens the door.", "the door is open"), simple("ring_bell", "Rings the bell.", "the bell rang")],
        hooks: {
          onPreToolUse: async (input) =>
            input.toolName === "open_door"
              ? { permissionDecision: "deny", permissionDecisionReason: "doors stay shut" }
              : { permissionDecision: "allow" },
          onPostToolUse: async (input) => {
            results.push([input.toolName, JSON.stringify(input.toolResult)]);
          },
        },
      }),
    );
    await ask(session, "hooks: use both tools.", "The bell rang, and the door stayed shut.");
    await session.disconnect();
    same(called, ["ring_bell"], "the tools that were called are");
    check(results.some(([name, result]) => name === "ring_bell" && result.includes("the bell rang")), `the results are ${results}`);
    return client;
  },

  async provider(client) {
    const session = await client.createSession(settings());
    await ask(session, "provider: is my key right?", "Your key is right.");
    await session.disconnect();
    return client;
  },

  async mcp(client) {
    const [command, ...args] = JSON.parse(STORY_MCP);
    const session = await client.createSession(settings({ mcpServers: { counter: { type: "local", command, args, tools: ["*"] } } }));
    await ask(session, "mcp: count to two.", "The server counted.");
    await session.disconnect();
    return client;
  },

  async structured(client) {
    const session = await client.createSession(settings());
    const count = await session.sendAndWait("structured: how many?", z.object({ n: z.int() }), 30000);
    await session.disconnect();
    same(count, { n: 42 }, "the count is");
    return client;
  },

  async abort(client) {
    const session = await client.createSession(settings({ streaming: true }));
    const thinking = new Promise((done) => session.on("assistant.message_delta", done));
    const idle = new Promise((done) => session.on("session.idle", done));
    await session.send({ prompt: "abort: think for an hour." });
    await thinking;
    await session.abort();
    await idle;
    await ask(session, "abort: are you there?", "I am here.");
    await session.disconnect();
    return client;
  },

  async join(client) {
    const want = ["Hello to both.", "Goodbye to both."];
    const first = await client.createSession(settings());
    if (STORY_TRANSPORT !== "tcp") {
      await ask(first, "join: say hello.", want[0]);
      await first.disconnect();
      await stop(client);
      const next = await connect();
      const again = await next.resumeSession(first.sessionId, settings());
      await ask(again, "join: say goodbye.", want[1]);
      await again.disconnect();
      return next;
    }

    const listen = (session) =>
      new Promise((done) => {
        const heard = [];
        session.on("assistant.message", (event) => {
          heard.push(event.data.content);
          if (heard.length === want.length) done(heard);
        });
      });
    const guest = await connect();
    const second = await guest.resumeSession(first.sessionId, settings());
    const ears = [listen(first), listen(second)];
    const idle = new Promise((done) => second.on("session.idle", done));
    await ask(first, "join: say hello.", want[0]);
    await idle; // or sendAndWait takes a late end of the first turn for its own
    await ask(second, "join: say goodbye.", want[1]);
    for (const heard of await Promise.all(ears)) same(heard, want, "a client heard");
    await second.disconnect();
    await stop(guest);
    await first.disconnect();
    return client;
  },

  async list(client) {
    const [prompt, answer] = ["list: remember the milk.", "I remember the milk."];
    const listed = async (id) => (await client.listSessions()).some((s) => s.sessionId === id);
    const session = await client.createSession(settings());
    await ask(session, prompt, answer);
    check(await listed(session.sessionId), "the session is not in the list");
    const events = await session.getEvents();
    const texts = (type) => events.filter((event) => event.type === type).map((event) => event.data.content);
    same([texts("user.message"), texts("assistant.message")], [[prompt], [answer]], "the messages are");
    await session.disconnect();
    await client.deleteSession(session.sessionId);
    check(!(await listed(session.sessionId)), "the deleted session is in the list");
    return client;
  },

  async restart(client) {
    const session = await client.createSession(settings());
    await ask(session, "restart: my name is Ann.", "Hello, Ann.");
    if (STORY_TRANSPORT === "tcp") {
      console.log("restart?");
      const input = createInterface({ input: process.stdin });
      const line = await new Promise((done) => input.once("line", done));
      input.close();
      same(line, "restarted", "instead of a new server there is");
      await client.forceStop();
    } else {
      await stop(client);
    }
    const next = await connect();
    const again = await next.resumeSession(session.sessionId, settings());
    await ask(again, "restart: what is my name?", "You are Ann.");
    await again.disconnect();
    return next;
  },
};

let client = await connect();
for (const step of STORY_STEPS.split(",")) {
  client = await steps[step](client);
  console.log(`ok ${step}`);
}
await stop(client);
console.log("done");
