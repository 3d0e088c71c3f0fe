import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { MINUTE } from '../../../domain/time.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';
import { aMail } from '../../builders/mail.ts';

test('attempts are counted by their result', async () => {
  const results = [{ outcome: 'accepted' }, { outcome: 'failed', reason: 'login_failed' }] as const;
  const metrics = createMetrics(openMemory());
  const sent = results.values();
  const sender = metrics.countedMails({
    send: async () => sent.next().value ?? results[0],
    check: async () => null,
  });
  const mail = { mail_id: 'm', to: 'a@example.com', subject: '', text: '', date: new Date() };
  for (const result of results) expect(await sender?.send(mail)).toBe(result);
  const counted = (await metrics.text()).match(/^stancebook_mail_attempts_total.*$/gm);
  expect(counted?.toSorted()).toEqual([
    'stancebook_mail_attempts_total{result="accepted"} 1',
    'stancebook_mail_attempts_total{result="login_failed"} 1',
  ]);
  expect(metrics.countedMails(null)).toBeNull();
});

test('mails that are due, and how long the oldest has been queued', async () => {
  let now = Date.parse('2026-03-02T12:00:00Z');
  const storage = openMemory({ now: () => new Date(now) });
  for (let n = 0; n < 2; n += 1) await storage.mails.add(aMail(), []);
  await storage.mails.claim(1, 10 * MINUTE);
  now += MINUTE;
  const text = await createMetrics(storage).text();
  expect(text).toMatch(/^stancebook_mails_due 1$/m);
  expect(text).toMatch(/^stancebook_mail_lag_seconds 60$/m);
});
