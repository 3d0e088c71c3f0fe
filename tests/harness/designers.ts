import request from 'supertest';
import type { Draft } from '../../domain/workflows/workflow.ts';
import { aReadyDraft } from '../builders/workflows.ts';
import { anOwnerWithAgent, type TestOwner } from './owners.ts';
import type { TestService } from './service.ts';
import { OWN_PAGE } from './sessions.ts';

const WORKFLOWS = '/api/v1/owner/workflows';

type Sent = Readonly<Record<string, unknown>>;

/** An owner who designs workflows, with methods for the requests. */
export interface TestDesigner extends TestOwner {
  create(body: Sent): request.Test;
  /** Creates a workflow, ready to be published unless `changes` says otherwise; returns its id. */
  made(changes?: Partial<Draft>): Promise<string>;
  /** Creates and publishes a workflow; returns its id and hash. */
  published(changes?: Partial<Draft>): Promise<{ readonly id: string; readonly hash: string }>;
  /** Lists the owner's workflows, such as `list('?page=2')`. */
  list(query?: string): request.Test;
  read(id: string): request.Test;
  change(id: string, body: Sent): request.Test;
  remove(id: string): request.Test;
  fork(id: string): request.Test;
  publish(id: string): request.Test;
  history(id: string, query?: string): request.Test;
  usage(id: string): request.Test;
  market(query?: string): request.Test;
}

export async function aDesigner(service: TestService): Promise<TestDesigner> {
  const owner = await anOwnerWithAgent(service);
  const at = (id: string, rest = '') => `${WORKFLOWS}/${id}${rest}`;
  const headers = () => ({ cookie: owner.cookie(), ...OWN_PAGE });
  const post = (path: string) => request(service.app).post(path).set(headers());
  const get = (path: string) => request(service.app).get(path).set(headers());
  const create = (body: Sent) => post(WORKFLOWS).send(body);
  const publish = (id: string) => post(at(id, '/snapshots'));
  const made = async (changes: Partial<Draft> = {}) =>
    answered(await create({ ...aReadyDraft(), ...changes }), 201).id as string;
  return {
    ...owner,
    create,
    made,
    async published(changes) {
      const id = await made(changes);
      return { id, hash: answered(await publish(id), 200).hash };
    },
    list: (query = '') => get(`${WORKFLOWS}${query}`),
    read: (id) => get(at(id)),
    change: (id, body) => request(service.app).put(at(id)).set(headers()).send(body),
    remove: (id) => request(service.app).delete(at(id)).set(headers()),
    fork: (id) => post(at(id, '/fork')),
    publish,
    history: (id, query = '') => get(at(id, `/snapshots${query}`)),
    usage: (id) => get(at(id, '/usage')),
    market: (query = '') => get(`/api/v1/public/workflows${query}`),
  };
}

function answered({ status, body, text }: request.Response, expected: number) {
  if (status !== expected) throw new Error(text);
  return body;
}
