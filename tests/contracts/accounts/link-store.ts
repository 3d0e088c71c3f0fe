import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LinkStore, OneTimeLink } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { anOwner } from '../../builders/accounts.ts';
import { aLink } from '../../builders/mail.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

/** The promises about one-time links, by a clock that the test moves. */
export function linkStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let links: LinkStore;
  beforeAll(async () => {
    opened = await adapter.open();
    links = opened.storage.links;
  });
  afterAll(() => opened.close());

  const at = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  const owner = async () => {
    const added = anOwner();
    await opened.storage.owners.add(added);
    return added.owner_id;
  };
  const put = async (changes: Partial<OneTimeLink> = {}) => {
    const link = aLink({ owner_id: changes.owner_id ?? (await owner()), ...changes });
    expect(await links.put(link, HOUR)).not.toBeNull();
    return link;
  };

  test('a link is found as it was put, until it expires', async () => {
    await at(0);
    const link = await put({ mailed: false });
    const { token_hash } = link;
    const stored = { ...link, created_at: NOON, expires_at: new Date(NOON.getTime() + HOUR) };
    expect(await links.find(token_hash, 'reset')).toEqual(stored);
    await at(HOUR - 1);
    expect(await links.find(token_hash, 'reset')).toEqual(stored);
    await at(HOUR);
    expect([await links.find(token_hash, 'reset'), await links.redeem(token_hash, 'reset')]).toEqual([null, null]);
  });

  test('a link is redeemed once', async () => {
    await at(0);
    const { token_hash, owner_id } = await put();
    expect((await links.redeem(token_hash, 'reset'))?.owner_id).toBe(owner_id);
    expect([await links.redeem(token_hash, 'reset'), await links.find(token_hash, 'reset')]).toEqual([null, null]);
  });

  test('of 20 that redeem a link at once, one gets it', async () => {
    await at(0);
    expect(await redemptionsOfOne(links, await put())).toBe(1);
  });

  test('a link is good for its purpose alone, and another token for nothing', async () => {
    await at(0);
    const { token_hash } = await put({ purpose: 'confirm' });
    expect([await links.find(token_hash, 'reset'), await links.redeem(token_hash, 'reset')]).toEqual([null, null]);
    expect(await links.redeem(randomBytes(32), 'confirm')).toBeNull();
    expect(await links.redeem(token_hash, 'confirm')).not.toBeNull();
  });

  test('a newer link of the purpose replaces the earlier one of the owner, and no other', async () => {
    await at(0);
    const first = await put();
    const { owner_id } = first;
    const [confirm, other] = [await put({ owner_id, purpose: 'confirm' }), await put()];
    await at(30 * MINUTE);
    const second = await put({ owner_id });
    expect(await links.find(first.token_hash, 'reset')).toBeNull();
    await at(HOUR + 29 * MINUTE);
    expect((await links.find(second.token_hash, 'reset'))?.bound_to).toEqual(second.bound_to);
    await at(HOUR - 1);
    for (const { token_hash, purpose } of [confirm, other])
      expect(await links.find(token_hash, purpose)).not.toBeNull();
  });

  test('of links that are put at once, one stays', async () => {
    await at(0);
    const owner_id = await owner();
    const put20 = await race(20, async () => {
      const link = aLink({ owner_id });
      await links.put(link, HOUR);
      return link;
    });
    const found = await Promise.all(put20.map(({ token_hash }) => links.find(token_hash, 'reset')));
    expect(found.filter((each) => each !== null)).toHaveLength(1);
  });

  test('a suspension ends the links of its owner for good, and none is made meanwhile', async () => {
    await at(0);
    const { token_hash, owner_id } = await put();
    const bystander = await put();
    const { ownerAdministration } = opened.operators;
    await ownerAdministration.suspend(owner_id);
    expect([await links.find(token_hash, 'reset'), await links.redeem(token_hash, 'reset')]).toEqual([null, null]);
    expect(await links.put(aLink({ owner_id }), HOUR)).toBeNull();
    await ownerAdministration.resume(owner_id);
    expect(await links.find(token_hash, 'reset')).toBeNull();
    expect(await links.find(bystander.token_hash, 'reset')).not.toBeNull();
    expect(await links.put(aLink({ owner_id }), HOUR)).not.toBeNull();
  });

  test('a deletion ends the links of its owner', async () => {
    await at(0);
    const { token_hash, owner_id } = await put();
    await opened.operators.ownerAdministration.remove(owner_id);
    expect(await links.find(token_hash, 'reset')).toBeNull();
    expect(await links.put(aLink({ owner_id }), HOUR)).toBeNull();
  });

  test('a redemption is undone with its transaction', async () => {
    await at(0);
    const { token_hash } = await put();
    const undone = opened.storage.transaction(async (stores) => {
      await stores.links.redeem(token_hash, 'reset');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await links.find(token_hash, 'reset')).not.toBeNull();
  });

  test('pruning removes expired links, and no other', async () => {
    await at(10 * HOUR);
    await links.prune();
    await at(0);
    await put();
    await at(HOUR - 1);
    expect(await links.prune()).toBe(0);
    await at(HOUR);
    expect([await links.prune(), await links.prune()]).toEqual([1, 0]);
  });
}

/** How many of 20 that redeem a link at once get it. */
export async function redemptionsOfOne(
  links: Pick<LinkStore, 'redeem'>,
  { token_hash, purpose }: Pick<OneTimeLink, 'token_hash' | 'purpose'>,
): Promise<number> {
  const redeemed = await race(20, () => links.redeem(token_hash, purpose));
  return redeemed.filter((each) => each !== null).length;
}
