// Loaded into an agent before its own code (node --import): what it would ask of
// GitHub goes to the stand-in of the test, and it listens on a free port of this
// machine, whichever it names, and says which.
import net from "node:net";

const standIn = process.env.STAND_IN;
const elsewhere = new Set(["api.github.com", "api.githubcopilot.com"]);

const original = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
  if (!elsewhere.has(url.hostname)) throw new Error(`the test leads nowhere: ${url}`);
  return original(standIn + url.pathname + url.search, init);
};

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const ready = args.find((a) => typeof a === "function");
  return listen.call(this, 0, "127.0.0.1", () => {
    ready?.call(this);
    console.log(`listening on port ${this.address().port}`);
  });
};
