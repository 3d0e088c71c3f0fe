import type { Express } from 'express';
import type { Endpoint } from '../../adapters/http/kit/endpoint.ts';
import { uncounted } from '../../adapters/http/kit/reply/headers.ts';
import { type AppParts, createApp, sessionCookieName } from '../../adapters/http/kit/router.ts';
import type { ReadinessChecks } from '../../adapters/http/kit/unmatched.ts';
import { missingPage } from '../../adapters/http/page/document.ts';
import { servicePages } from '../../adapters/http/service-pages.ts';
import type { Admitted, RequestToAdmit } from '../../application/quotas/admit-request.ts';
import type { Caller } from '../../domain/caller.ts';
import { ADMIN, AGENT, OWNER, READER, UNBOUND } from './example.ts';

const CALLERS: Readonly<Record<string, Caller>> = {
  'agent-key': AGENT,
  'reader-key': READER,
  'unbound-key': UNBOUND,
  'owner-session': OWNER,
  'admin-token': ADMIN,
};

export interface TestApp {
  readonly app: Express;
  readonly logged: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];
}

export interface TestAppOptions extends Partial<AppParts> {
  readonly readiness?: ReadinessChecks;
}

/** Admits every request, with callers known by name, and counts nothing. */
export function admitByName({ credential }: RequestToAdmit, changes: Partial<Admitted> = {}): Admitted {
  const caller = credential && (CALLERS[credential.secret] ?? null);
  const counted = { barred: null, quota: null, isSuspended: false, at: new Date(), refusal: null };
  const rest = { ...counted, giveBack: async () => null };
  return { caller, rate: uncounted(), ...rest, ...changes };
}

/** The application over the given endpoints, with callers known by name and a log that tests can read. */
export function testApp(endpoints: readonly Endpoint[], options: TestAppOptions = {}): TestApp {
  const { readiness = async () => ({ database: true }), settings = {}, ...parts } = options;
  const logged: TestApp['logged'] = [];
  const keep = (message: string, fields: Readonly<Record<string, unknown>>) => {
    logged.push({ message, fields });
  };
  const app = createApp({
    endpoints,
    admit: async (request) => admitByName(request),
    networkHash: (network) => network,
    noteAdminRefusal: async () => undefined,
    noteKeyRefusal: async () => undefined,
    factorRefusal: async () => null,
    log: { error: keep, warn: keep },
    pages: servicePages(endpoints, '0.4.0', readiness, sessionCookieName(settings)),
    missing: missingPage,
    settings,
    ...parts,
  });
  return { app, logged };
}
