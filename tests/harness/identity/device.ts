import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { TestService } from '../service.ts';
import { decideOnDevice } from './tokens.ts';

export const START = '/api/v1/public/auth/idp/device';
export const POLL = `${START}/poll`;

/** The device flow as an agent calls it. */
export function deviceFlowOf({ app }: Pick<TestService, 'app'>) {
  const post = (path: string, body?: object, headers = {}) => request(app).post(path).set(headers).send(body);
  const start = async () => (await post(START)).body;
  return {
    post,
    start,
    poll: async (device_code: string, more: object = {}) => post(POLL, { device_code, ...more }),
    /** The device code of a sign-in that `user` has approved; default: a new user. */
    async approved(user: string = randomUUID()): Promise<string> {
      const { device_code, verification_uri_complete } = await start();
      await decideOnDevice(user, verification_uri_complete);
      return device_code;
    },
  };
}

/** Status and code of a refusal. */
export function codeOf({ status, body }: request.Response): readonly [status: number, code: unknown] {
  return [status, body.error?.code];
}
