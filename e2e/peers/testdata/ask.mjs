// Calls functions of the SDK: stdin is a JSON array of [name, ...arguments], stdout
// one of {"value"} or {"error"}.
import { pathToFileURL } from "node:url";

const sdk = await import(pathToFileURL(process.env.SDK).href);
let text = "";
for await (const chunk of process.stdin) text += chunk;
const answers = [];
for (const [name, ...args] of JSON.parse(text)) {
  try {
    answers.push({ value: (await sdk[name](...args)) ?? null });
  } catch (error) {
    answers.push({ error: String(error.message) });
  }
}
process.stdout.write(JSON.stringify(answers));
