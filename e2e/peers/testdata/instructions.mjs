// Creates a session, sends a message, stops the runtime, and resumes the session with another one:
// stdin is {"binary", "home", "work", "provider", "mode", "create", "resume"}, the last two with
// settings of the session.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.SDK, "package.json"));
const { CopilotClient, RuntimeConnection, approveAll } = require("@github/copilot-sdk");
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { binary, home, work, provider, mode, create, resume } = JSON.parse(text);

const started = async () => {
  const client = new CopilotClient({
    mode,
    baseDirectory: home,
    connection: RuntimeConnection.forStdio({ path: binary }),
    workingDirectory: work,
    env: { PATH: process.env.PATH, HOME: home, COPILOT_HOME: home },
  });
  await client.start();
  return client;
};
const settings = {
  onPermissionRequest: approveAll,
  workingDirectory: work,
  availableTools: [],
  provider: { type: "openai", baseUrl: provider, modelId: "test-model" },
};

let client = await started();
let session = await client.createSession({ ...settings, ...create });
await session.sendAndWait("One.", 30000);
const id = session.sessionId;
await client.stop();

client = await started();
session = await client.resumeSession(id, { ...settings, ...resume });
await session.sendAndWait("Two.", 30000);
await client.stop();
