import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

// The server of `openProvider`, in a thread of its own: the campaign makes requests for seconds at a time, and the service
// waits less long for a provider. It sends its issuer when it listens.

const { key } = workerData as { readonly key: object };
const answers = new Map<string, { readonly status: number; readonly json: () => unknown }>();
const server = createServer((request, response) => {
  request.resume();
  const { status, json } = answers.get(request.url?.replace(/\?.*/, '') ?? '') ?? { status: 404, json: () => null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json()));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  device_authorization_endpoint: `${issuer}/device`,
};
answers.set('/.well-known/openid-configuration', { status: 200, json: () => metadata });
answers.set('/keys', { status: 200, json: () => ({ keys: [key] }) });
answers.set('/token', { status: 400, json: () => ({ error: 'authorization_pending' }) });
answers.set('/device', { status: 200, json: nextDevice });
parentPort?.postMessage(issuer);

let devices = 0;

function nextDevice() {
  devices += 1;
  return {
    device_code: `device-${devices}`,
    user_code: `FUZZ-${devices}`,
    verification_uri: `${issuer}/activate`,
    verification_uri_complete: `${issuer}/activate?user_code=FUZZ-${devices}`,
    expires_in: 3_600,
    interval: 1,
  };
}
