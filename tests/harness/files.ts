import request from 'supertest';
import type { TestDesigner } from './designers.ts';
import type { TestService } from './service.ts';
import { OWN_PAGE } from './sessions.ts';

const WORKFLOWS = '/api/v1/owner/workflows';
const SNAPSHOTS = '/api/v1/public/workflows/snapshots';

/** Requests for workflows as files. */
export function filesOf(service: TestService, designer: TestDesigner) {
  const headers = { cookie: designer.cookie(), ...OWN_PAGE };
  return {
    send: (text: string | Buffer, type = 'application/yaml') =>
      request(service.app).post(`${WORKFLOWS}/import`).set(headers).set('content-type', type).send(text),
    yaml: (id: string) => request(service.app).get(`${WORKFLOWS}/${id}/yaml`).set(headers),
    snapshotYaml: (hash: string) => request(service.app).get(`${SNAPSHOTS}/${hash}/yaml`),
    skill: (hash: string) => request(service.app).get(`${SNAPSHOTS}/${hash}/export`).buffer(true).parse(asBytes),
  };
}

function asBytes(response: request.Response, done: (error: Error | null, bytes: Buffer) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks)));
}
