// Prints the constants of the SDK's own tests that hold a request which GitHub signed:
// they are a person's, and stay in the package that they came in.
import { readFileSync } from "node:fs";

const text = readFileSync(process.env.VECTORS, "utf8");
const found = {};
for (const [, name, literal] of text.matchAll(/export const ([A-Z_]+) =\s*("[^"]*"|`[^`]*`);/g)) {
  found[name] = Function(`return ${literal}`)();
}
process.stdout.write(JSON.stringify(found));
