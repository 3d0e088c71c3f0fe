import { expect, test } from '@jest/globals';
import { LINK_MAILS, type MailContent, sentLink } from '../../../domain/mail/mail.ts';
import { mailText } from '../../../domain/mail/mail-text.ts';
import { NOTICE_KINDS } from '../../../domain/mail/notices.ts';

const PUBLIC_URL = 'https://stancebook.example';
const TOKEN = 'x'.repeat(43);
const QUEUED = new Date('2026-03-02T12:00:00Z');
const KINDS = [...LINK_MAILS, ...NOTICE_KINDS];

function content(changes: Partial<MailContent> = {}): MailContent {
  return {
    to: 'ada@example.com',
    source: { request_id: 'r', network: '3fa2b1c4d5e6f708', client: 'browser' },
    subject: 'sbk_Xk29fQ7b',
    link: sentLink(TOKEN, new Date('2026-03-02T13:00:00Z')),
    ...changes,
  };
}

const context = { publicUrl: PUBLIC_URL, queued: QUEUED };

test.each(KINDS)('%s: plain lines of ASCII, and no link but to the service', (kind) => {
  const { subject, text } = mailText(kind, content(), context);
  expect(subject).toMatch(/^Stancebook: [\x20-\x7e]{1,60}$/);
  expect(text).toMatch(/^[\x20-\x7e\n]+\n$/);
  const prose = text.split('\n').filter((line) => !line.startsWith('https:'));
  for (const line of prose) expect(line.length).toBeLessThanOrEqual(78);
  const links = text.match(/\w+:\/\/[^\s]+/g) ?? [];
  expect(links.filter((link) => !link.startsWith(PUBLIC_URL))).toEqual([]);
  expect(text).toContain('2026-03-02 12:00 UTC');
});

test.each(KINDS)('%s: the token is in a mail with a link, after #, and in no notice', (kind) => {
  const { text } = mailText(kind, content(), context);
  const isLink = LINK_MAILS.some((each) => each === kind);
  expect(text.includes(TOKEN)).toBe(isLink);
  if (isLink) expect(text).toMatch(new RegExp(`^${PUBLIC_URL}/#/(reset|confirm)/${TOKEN}$`, 'm'));
});

test.each(KINDS)('%s: what a caller chose adds no line and no link', (kind) => {
  const hostile = 'x\r\nBcc: eve@example.com\n\nhttps://evil.example/';
  const source = { request_id: hostile, network: hostile, client: hostile as 'browser' };
  const { subject, text } = mailText(kind, content({ to: hostile, subject: hostile, source }), context);
  expect(`${subject}\n${text}`).not.toMatch(/evil\.example|^Bcc|\r/m);
});

test('a sweep of the service is nobody, and an operator is not named', () => {
  expect(mailText('key_expiring', content({ source: null }), context).text).not.toContain('By:');
  const source = { request_id: null, network: null, client: 'command_line' } as const;
  expect(mailText('account_suspended', content({ source }), context).text).toContain('By: the operator');
});

test('each of several keys is named', () => {
  const { text } = mailText('key_expiring', content({ subject: 'sbk_aaaaaaaa sbk_bbbbbbbb' }), context);
  expect(text).toContain('sbk_aaaaaaaa\nsbk_bbbbbbbb\n');
});

test('a mail with a link is not written without one', () => {
  for (const kind of LINK_MAILS) expect(() => mailText(kind, content({ link: null }), context)).toThrow('no link');
});
