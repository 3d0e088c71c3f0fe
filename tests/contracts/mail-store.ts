import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { MAIL } from '../../domain/limits.ts';
import {
  type ClaimedMail,
  hourlyLimit,
  type MailLimit,
  type MailProgress,
  type MailStore,
  type NewMail,
} from '../../domain/mail/mail.ts';
import { DAY, HOUR, MINUTE } from '../../domain/time.ts';
import { anOwner } from '../builders/accounts.ts';
import { aMail } from '../builders/mail.ts';
import { race } from './adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from './decisions/adapters.ts';

const SENT: MailProgress = { status: 'sent', failure: null, due_at: null };
const NO_LIMIT: MailLimit = { of: 'all', within: HOUR, most: 1_000 };

/** The promises about mails, by a clock that the test moves. */
export function mailStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let mails: MailStore;
  beforeAll(async () => {
    opened = await adapter.open();
    mails = opened.storage.mails;
  });
  afterAll(() => opened.close());

  const at = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  afterEach(async () => {
    await at(1_000 * DAY);
    await mails.prune();
    await at(0);
  });
  const add = async (changes: Partial<NewMail> = {}, limits: readonly MailLimit[] = [NO_LIMIT]) =>
    mails.add(aMail(changes), limits);
  const claim = (limit = 100) => mails.claim(limit, MAIL.lease);
  const settle = (claimed: ClaimedMail, progress: Partial<MailProgress> = {}) =>
    mails.settle(claimed, () => ({ ...SENT, ...progress }));

  test('a mail is claimed once, and again when its lease is over', async () => {
    await at(0);
    const mail = aMail();
    expect(await mails.add(mail, [NO_LIMIT])).toEqual({ admitted: true, at: NOON, free_at: null });
    const [claimed] = await claim();
    const { mail_id, kind, content } = mail;
    expect(claimed).toEqual({
      ...{ mail_id, kind, owner_id: null, content: Buffer.from(content), attempts: 1 },
      ...{ created_at: NOON, expires_at: new Date(NOON.getTime() + DAY), token: expect.any(String) },
    });
    await at(MAIL.lease - 1);
    expect(await claim()).toEqual([]);
    await at(MAIL.lease);
    const [again] = await claim();
    expect(again).toMatchObject({ mail_id, attempts: 2 });
    expect(claimed && (await settle(claimed))).toBe(false);
    expect(again && (await settle(again))).toBe(true);
    expect([await claim(), await mails.nextDue()]).toEqual([[], null]);
  });

  test('of 20 that claim at once, each mail goes to one', async () => {
    await at(0);
    for (let n = 0; n < 10; n += 1) await add();
    const claimed = (await race(20, () => claim(3))).flat();
    expect(claimed).toHaveLength(10);
    expect(new Set(claimed.map(({ mail_id }) => mail_id)).size).toBe(10);
  });

  test('a mail that failed is due when the rule says so; the rule gets the time of the database', async () => {
    await at(0);
    await add();
    const [claimed] = await claim();
    await at(MINUTE);
    const times: Date[] = [];
    const due_at = new Date(NOON.getTime() + 5 * MINUTE);
    await mails.settle(claimed as ClaimedMail, (now) => {
      times.push(now);
      return { status: 'pending', failure: 'try_later', due_at };
    });
    expect([times, await mails.nextDue()]).toEqual([[new Date(NOON.getTime() + MINUTE)], due_at]);
    await at(5 * MINUTE - 1);
    expect(await claim()).toEqual([]);
    await at(5 * MINUTE);
    expect(await claim()).toMatchObject([{ attempts: 2 }]);
  });

  test('a mail that has ended keeps no content', async () => {
    await at(0);
    const owner_id = await anOwnerIn(opened);
    await add({ owner_id });
    const [claimed] = await claim();
    await settle(claimed as ClaimedMail);
    const { rows = {} } = (await opened.storage.ownerData.account(owner_id)) ?? {};
    expect(rows.mails).toMatchObject([{ status: 'sent', owner_id }]);
    // Whatever is in bytes is left out of an account, so that only the end shows the column.
    expect(rows.mails?.[0]).toMatchObject({ content: null });
  });

  test('the content and the owner are replaced by who has the mail', async () => {
    await at(0);
    const owner_id = await anOwnerIn(opened);
    await add();
    const [claimed] = await claim();
    const { mail_id = '', token = '' } = claimed ?? {};
    const content = randomBytes(8);
    expect(await mails.address(mail_id, randomUUID(), owner_id, content)).toBe(false);
    expect(await mails.address(mail_id, token, owner_id, content)).toBe(true);
    await at(MAIL.lease);
    expect(await claim()).toMatchObject([{ owner_id, content }]);
    expect(await mails.address(mail_id, token, owner_id, content)).toBe(false);
  });

  test('an address gets as many as the limit in any time of its length, and learns when it is free', async () => {
    const address_hash = randomBytes(32);
    const limits: readonly MailLimit[] = [{ of: 'all', within: HOUR, most: 2 }];
    const admitted = async () => (await add({ address_hash }, limits)).admitted;
    await at(0);
    expect(await admitted()).toBe(true);
    await at(50 * MINUTE);
    expect([await admitted(), await admitted()]).toEqual([true, false]);
    expect(await add({ address_hash }, limits)).toMatchObject({ free_at: new Date(NOON.getTime() + HOUR) });
    expect((await add({}, limits)).admitted).toBe(true);
    await at(HOUR - 1);
    expect(await admitted()).toBe(false);
    await at(HOUR);
    expect([await admitted(), await admitted()]).toEqual([true, false]);
    await at(HOUR + 50 * MINUTE);
    expect([await admitted(), await admitted()]).toEqual([true, false]);
  });

  test('of 20 mails to one address at once, as many are queued as the limit admits', async () => {
    await at(0);
    expect(await admittedOf20(mails)).toBe(5);
  });

  test('mails that were asked for and notices count apart, and a kind may have its own limit', async () => {
    await at(0);
    const address_hash = randomBytes(32);
    const limits: readonly MailLimit[] = [
      { of: 'all', within: HOUR, most: 3 },
      { of: 'kind', within: HOUR, most: 1 },
    ];
    const admitted = async (kind: NewMail['kind']) => (await add({ address_hash, kind }, limits)).admitted;
    expect([await admitted('lockout'), await admitted('lockout')]).toEqual([true, false]);
    expect([await admitted('key_created'), await admitted('key_expiring')]).toEqual([true, true]);
    expect(await admitted('new_sign_in')).toBe(false);
    expect([await admitted('password_reset'), await admitted('password_reset')]).toEqual([true, false]);
  });

  test.each(['password_reset', 'key_created'] as const)(
    'no more mails of the kind %s are taken for an address in an hour than its limit, whenever they were queued',
    async (kind) => {
      const address_hash = randomBytes(32);
      const { most } = hourlyLimit(kind);
      await at(0);
      for (let n = 0; n < most + 3; n += 1) await add({ address_hash, kind });
      await add({ address_hash, kind: kind === 'key_created' ? 'password_reset' : 'key_created' });
      const taken = (await race(20, () => claim(3))).flat();
      const ofKind = taken.filter((each) => each.kind === kind);
      expect([ofKind.length, taken.length]).toEqual([most, most + 1]);
      for (const each of taken) await settle(each);
      expect(await mails.nextDue()).toEqual(new Date(NOON.getTime() + MAIL.heldBack));
      await at(HOUR - 1);
      expect(await claim()).toEqual([]);
      await at(HOUR + MAIL.heldBack);
      expect(await claim()).toHaveLength(3);
    },
  );

  test('a mail is queued with its transaction, or not at all', async () => {
    await at(0);
    const undone = opened.storage.transaction(async (stores) => {
      await stores.mails.add(aMail(), [NO_LIMIT]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await mails.nextDue()).toBeNull();
  });

  test('the deletion of an owner ends the mails that are queued; the address still counts them', async () => {
    await at(0);
    const [owner_id, bystander] = [await anOwnerIn(opened), await anOwnerIn(opened)];
    const address_hash = randomBytes(32);
    const limits: readonly MailLimit[] = [{ of: 'all', within: HOUR, most: 3 }];
    for (let n = 0; n < 2; n += 1) await add({ owner_id, address_hash }, limits);
    const [claimed] = await claim(1);
    await add({ owner_id: bystander }, limits);
    await opened.operators.ownerAdministration.remove(owner_id);
    expect(claimed && (await settle(claimed))).toBe(false);
    expect(await claim()).toMatchObject([{ owner_id: bystander }]);
    expect([(await add({ address_hash }, limits)).admitted, (await add({ address_hash }, limits)).admitted]).toEqual([
      true,
      false,
    ]);
  });

  test('the backlog counts what is due', async () => {
    await at(0);
    const NONE_FAILED = { failed: 0, failed_since: null, failure: null };
    expect(await mails.backlog()).toEqual({ due: 0, since: null, ...NONE_FAILED });
    await add();
    await at(MINUTE);
    await add();
    expect(await mails.backlog()).toEqual({ due: 2, since: NOON, ...NONE_FAILED });
    await claim(1);
    expect(await mails.backlog()).toEqual({ due: 1, since: new Date(NOON.getTime() + MINUTE), ...NONE_FAILED });
  });

  test('the backlog counts what is sent again, and names the most frequent failure', async () => {
    await at(0);
    for (let each = 0; each < 4; each += 1) await add();
    const [first, second, ...others] = await claim(4);
    const again = { status: 'pending', due_at: new Date(NOON.getTime() + HOUR) } as const;
    if (!first || !second) throw new Error('No mail is due.');
    await settle(first, { ...again, failure: 'timed_out' });
    await settle(second, { status: 'failed', failure: 'recipient_refused' });
    for (const each of others) await settle(each, { ...again, failure: 'connection_failed' });
    const failed = { failed: 3, failed_since: NOON, failure: 'connection_failed' };
    expect(await mails.backlog()).toEqual({ due: 0, since: null, ...failed });
    await at(HOUR);
    expect(await mails.backlog()).toEqual({ due: 3, since: NOON, ...failed });
  });

  test('pruning removes old mails, and no other', async () => {
    await at(0);
    await add();
    await at(MAIL.kept - 1);
    expect(await mails.prune()).toBe(0);
    await at(MAIL.kept);
    expect([await mails.prune(), await mails.prune()]).toEqual([1, 0]);
  });
}

async function anOwnerIn({ storage }: OpenedDecisions): Promise<string> {
  const owner = anOwner();
  await storage.owners.add(owner);
  return owner.owner_id;
}

/** How many of 20 mails to one address are admitted at once by a limit of 5. */
export async function admittedOf20(mails: Pick<MailStore, 'add'>): Promise<number> {
  const address_hash = randomBytes(32);
  const queued = await race(20, () => mails.add(aMail({ address_hash }), [{ of: 'all', within: HOUR, most: 5 }]));
  return queued.filter(({ admitted }) => admitted).length;
}
