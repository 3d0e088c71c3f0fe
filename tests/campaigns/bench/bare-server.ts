// The minimum cost of a reply of this text: Node's http module alone, or Express as applications use it. No database, no
// checks, nothing computed.
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import express from 'express';

const { BARE = '', BODY_FILE = '' } = process.env;
const text = readFileSync(BODY_FILE, 'utf8');

const listeners: Readonly<Record<string, RequestListener>> = {
  express: express().get('/record', (_, response) => void response.type('json').send(text)),
  http: (_, response) => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(text) };
    response.writeHead(200, headers).end(text);
  },
};
const server = createServer(listeners[BARE]).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) console.log(`listening at http://127.0.0.1:${address.port}`);
});
