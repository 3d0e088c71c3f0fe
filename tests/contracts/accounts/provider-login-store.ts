import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ProviderLogin, ProviderLoginStore } from '../../../domain/accounts/provider/identity-provider.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

/** The promises of a store of logins through the provider, by a clock that the test moves. */
export function providerLoginStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let logins: ProviderLoginStore;
  beforeAll(async () => {
    opened = await adapter.open();
    logins = opened.storage.providerLogins;
  });
  afterAll(() => opened.close());

  /** Sets the clock to noon and starts a login. */
  async function begun(changes: Partial<ProviderLogin> = {}): Promise<ProviderLogin> {
    await opened.arrange.freeze(NOON);
    const login = aProviderLogin(changes);
    await logins.add(login);
    return login;
  }
  const after = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  const take = ({ state_hash, browser_hash }: ProviderLogin) => logins.take(state_hash, browser_hash);

  test('a login is taken out as it was added, once', async () => {
    const login = await begun();
    const found = await take(login);
    expect(found && plain(found)).toEqual(plain(login));
    expect(await take(login)).toBeNull();
  });

  test('an unknown state returns no login', async () => {
    expect(await take(aProviderLogin())).toBeNull();
  });

  test('another browser neither gets the login nor uses it up', async () => {
    const [login, other] = [await begun(), await begun()];
    expect(await logins.take(login.state_hash, other.browser_hash)).toBeNull();
    expect(await logins.take(other.state_hash, login.browser_hash)).toBeNull();
    expect([(await take(login))?.nonce, (await take(other))?.nonce]).toEqual([login.nonce, other.nonce]);
  });

  test('several logins of one browser are each their own', async () => {
    const first = await begun();
    const second = await begun({ browser_hash: first.browser_hash });
    expect([(await take(second))?.nonce, (await take(first))?.nonce]).toEqual([second.nonce, first.nonce]);
  });

  test('a state that is there already is refused', async () => {
    const login = await begun();
    await expect(logins.add(login)).rejects.toThrow();
  });

  test('a login ends after ten minutes', async () => {
    const [early, late] = [await begun(), await begun()];
    await after(10 * MINUTE - 1);
    expect(await take(early)).not.toBeNull();
    await after(10 * MINUTE);
    expect(await take(late)).toBeNull();
  });

  test('of 20 who come back with one state at once, one gets the login', async () => {
    expect(await takersAtOnce(logins, await begun())).toBe(1);
  });

  test('what a transaction took out is back when it is undone', async () => {
    const [login, fault] = [await begun(), new Error('the work failed')];
    const work = opened.storage.transaction(async (stores) => {
      await stores.providerLogins.take(login.state_hash, login.browser_hash);
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await take(login)).not.toBeNull();
  });

  test('pruning removes what is stale, and nothing else', async () => {
    await after(100 * DAY);
    await logins.prune();
    await begun();
    const fresh = await begun({ created_at: new Date(NOON.getTime() + 1) });
    await after(10 * MINUTE);
    expect(await logins.prune()).toBe(1);
    expect(await take(fresh)).not.toBeNull();
  });
}

/** How many of 20 callers get the login. */
export async function takersAtOnce(
  logins: Pick<ProviderLoginStore, 'take'>,
  { state_hash, browser_hash }: ProviderLogin,
): Promise<number> {
  const logged = await race(20, () => logins.take(state_hash, browser_hash));
  return logged.filter((login) => login !== null).length;
}

export function aProviderLogin(changes: Partial<ProviderLogin> = {}): ProviderLogin {
  return {
    state_hash: randomBytes(32),
    browser_hash: randomBytes(32),
    nonce: randomBytes(32).toString('base64url'),
    code_verifier: randomBytes(32).toString('base64url'),
    redirect_uri: 'https://stancebook.test/api/v1/public/auth/idp/callback',
    created_at: NOON,
    is_fresh: true,
    ...changes,
  };
}

function plain({ state_hash, browser_hash, ...rest }: ProviderLogin) {
  return {
    ...rest,
    state: Buffer.from(state_hash).toString('hex'),
    browser: Buffer.from(browser_hash).toString('hex'),
  };
}
