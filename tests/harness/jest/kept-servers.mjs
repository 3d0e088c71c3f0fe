// What `supertest` exports in a suite: requests to one application share a server and its connections until the suite
// ends. A server and a connection for each request take two thirds of the CPU time of a small one.
import { Agent, createServer } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** By application. */
const kept = new Map();
let agent;

/** As supertest, which is loaded by the first request. */
export default function request(target, options) {
  const supertest = require('supertest');
  if (typeof target !== 'function' || options !== undefined) return supertest(target, options);
  const server = kept.get(target) ?? keep(target);
  agent ??= new Agent({ keepAlive: true });
  const asking = supertest(server);
  return Object.fromEntries(
    Object.entries(asking).map(([method, ask]) => [method, (...args) => ask(...args).agent(agent)]),
  );
}

/** A server that supertest starts for the first request and does not stop after it. */
function keep(app) {
  const server = createServer(app);
  // A busy machine may leave a connection idle for long; it must stay open for the next request.
  server.keepAliveTimeout = 0;
  kept.set(app, Object.assign(server, { stop: server.close, close: (done) => done() }));
  return server;
}

/** Ends the connections and servers of a suite. */
export function closeKeptServers() {
  agent?.destroy();
  agent = undefined;
  for (const server of kept.values()) {
    if (server.listening) server.stop();
    server.closeAllConnections();
  }
  kept.clear();
}
