// Stores webhooks, each event once: `node webhooks.ts events.jsonl [PORT]`, with STANCEBOOK_WEBHOOK_SECRET.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookError } from '../typescript/webhooks.ts'; // installed: 'stancebook-client/webhooks'

const [, , file = 'events.jsonl', port = '8080'] = process.argv;
const secrets = (process.env.STANCEBOOK_WEBHOOK_SECRET ?? '').split(' '); // two while the secret is rotated
const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
const ids = new Set(lines.map((line) => JSON.parse(line).id));

const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
  try {
    if (!(Number(request.headers['content-length']) <= 1 << 20)) return void response.writeHead(413).end();
    const event = await verifyWebhook(request.headers, await buffer(request), secrets);
    // An attempt whose answer was lost comes again. Another program reads the file and does the work.
    if (!ids.has(event.id)) appendFileSync(file, `${JSON.stringify(event)}\n`);
    ids.add(event.id);
    response.writeHead(204).end();
  } catch (error) {
    const isForged = error instanceof WebhookError;
    response.writeHead(isForged ? 400 : 500).end(isForged ? error.code : '');
  }
});
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${Object(server.address()).port}`);
});
