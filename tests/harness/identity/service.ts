import type { Express } from 'express';
import request from 'supertest';
import { openService, type ServiceOptions, type StorageName, type TestService } from '../service.ts';
import { type Browser, openBrowser, type Page } from './browser.ts';
import { FACTOR_ACR, openProvider, type ProviderOptions, type TestProvider } from './provider.ts';

/** The public address of the service: https, as if behind a proxy. */
export const ORIGIN = 'https://stancebook.test';
export const IDP = `${ORIGIN}/api/v1/public/auth/idp`;
export const CALLBACK = `${IDP}/callback`;

export const BACKCHANNEL = '/api/v1/public/auth/idp/backchannel-logout';

export function postForm(app: Express, path: string, form: string) {
  const type = 'application/x-www-form-urlencoded';
  return request(app)
    .post(path)
    .set({ host: new URL(ORIGIN).host, 'content-type': type })
    .send(form);
}

/** Lifts the limits, which other tests cover. */
const UNHURRIED = {
  LIMIT_RATE_PER_SECOND: '100000',
  LIMIT_RATE_PER_MINUTE: '100000',
  LIMIT_ADDRESS_PER_MINUTE: '100000',
  LIMIT_SIGNUPS_PER_MINUTE: '100000',
  LIMIT_CREDENTIALED_PER_MINUTE: '100000',
  LIMIT_ACCOUNTS_PER_ADDRESS: '100000',
  LIMIT_ACCOUNTS_PER_DAY: '100000',
};

export interface ServiceWithProvider extends TestService {
  readonly provider: TestProvider;
  /** A person who can reach the service and the provider. */
  browserOf(user: string): Browser;
}

/** The whole service together with a real provider; closing one closes both. */
export async function openServiceWithProvider(
  name: StorageName,
  { authTime = true, ...options }: ServiceOptions & Pick<ProviderOptions, 'authTime'>,
): Promise<ServiceWithProvider> {
  let app: Express | null = null;
  const deliverLogout = async (form: string) => (app ? (await postForm(app, BACKCHANNEL, form)).status : 503);
  const provider = await openProvider({ redirectUris: [CALLBACK], deliverLogout, authTime });
  // Second factors of admins: tests/http/admin/factor.test.ts.
  const address = {
    PUBLIC_URL: ORIGIN,
    ALLOWED_HOSTS: '127.0.0.1',
    ADMIN_FACTOR: 'optional',
    IDP_ADMIN_ACR: FACTOR_ACR,
  };
  const env = { ...UNHURRIED, ...provider.env, ...address, ...options.env };
  const service = await openService(name, { ...options, env });
  app = service.app;
  return {
    ...service,
    provider,
    browserOf: (user) => openBrowser({ user, apps: { [ORIGIN]: service.app } }),
    async close() {
      await service.close();
      await provider.close();
    },
  };
}

/** Logs in up to the callback, which is not requested; returns its address. */
export async function upToCallback(browser: Browser): Promise<URL> {
  const { url } = await browser.visit(IDP, CALLBACK);
  return url;
}

/** The content of a JSON page. */
// biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
export function bodyOf({ text }: Page): any {
  return JSON.parse(text);
}
