// Runs a conversation with answers of a form: stdin is {"binary", "home", "provider"}, stdout
// what the SDK returned and which events it received.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.SDK, "package.json"));
const { CopilotClient, RuntimeConnection, approveAll } = require("@github/copilot-sdk");
const { z } = require("zod");
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { binary, home, provider } = JSON.parse(text);

const schema = z.object({ n: z.int() });

const attempt = async (work) => {
  try {
    return { value: (await work()) ?? null };
  } catch (error) {
    return { error: String(error.message) };
  }
};

const client = new CopilotClient({
  connection: RuntimeConnection.forStdio({ path: binary }),
  workingDirectory: home,
  env: { PATH: process.env.PATH, HOME: home, COPILOT_HOME: home },
});
await client.start();
const session = await client.createSession({
  onPermissionRequest: approveAll,
  provider: { type: "openai", baseUrl: provider, modelId: "test-model" },
  tools: [{ name: "look", description: "looks", parameters: { type: "object", properties: {} }, skipPermission: true, handler: async () => "many" }],
});
const origins = [];
session.on((event) => {
  if (event.type === "user.message") origins.push({ user: event.data.messageId });
  if (event.type === "assistant.message") origins.push({ assistant: event.data.originatingMessageId, calls: event.data.toolRequests?.length ?? 0 });
});
const answers = {};
answers.typed = await attempt(() => session.sendAndWait("How many?", schema, 30000));
answers.raw = await attempt(async () => (await session.sendAndWait({ prompt: "And in raw?", responseSchema: z.toJSONSchema(schema) }, 30000)).data.content);
answers.plain = await attempt(async () => (await session.sendAndWait("In words.", 30000)).data.content);
// Two at once: the second one waits in the queue, and each gets the answer to its own message.
const both = [attempt(() => session.sendAndWait("First.", schema, 30000)), attempt(() => session.sendAndWait("Second.", schema, 30000))];
answers.both = await Promise.all(both);
answers.unfit = await attempt(() => session.sendAndWait("Not a number.", schema, 30000));
answers.steering = await attempt(() => session.sendAndWait({ prompt: "Now.", mode: "immediate" }, schema, 30000));
await client.stop();
process.stdout.write(JSON.stringify({ answers, origins }));
