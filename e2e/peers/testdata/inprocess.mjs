// Hosts the runtime in process, three times one after the other, and sends a message; the last client stops while an
// answer arrives. stdin is {"binary", "home", "provider"}.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.SDK, "package.json"));
const { CopilotClient, RuntimeConnection, approveAll } = require("@github/copilot-sdk");
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { binary, home, provider } = JSON.parse(text);
Object.assign(process.env, { COPILOT_CLI_PATH: binary, HOME: home, COPILOT_HOME: home, SIDESTICK_KEYRING: "off" });

for (let i = 0; i < 3; i++) {
  const client = new CopilotClient({ connection: RuntimeConnection.forInProcess() });
  await client.start();
  const session = await client.createSession({
    streaming: true,
    onPermissionRequest: approveAll,
    availableTools: [],
    provider: { type: "openai", baseUrl: provider, modelId: "test-model" },
  });
  let pieces = 0;
  const first = new Promise((done) => session.on("assistant.message_delta", () => (pieces++, done())));
  if (i < 2) {
    const answer = await session.sendAndWait("One.", 30000);
    if (answer.data.content !== "It is one." || pieces === 0) throw new Error(`${answer.data.content}, ${pieces} pieces`);
  } else {
    await session.send("Long.");
    await first;
  }
  const failed = await client.stop();
  if (failed.length > 0) throw failed[0];
}
