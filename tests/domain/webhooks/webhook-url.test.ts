import { describe, expect, test } from '@jest/globals';
import { WEBHOOK_REQUEST } from '../../../domain/limits.ts';
import { webhookUrlProblem } from '../../../domain/webhooks/webhook-url.ts';
import { FORGED_HOSTS, PUBLIC_ADDRESSES } from '../../builders/forged-hosts.ts';

const closed = (url: string) => webhookUrlProblem(url, { allowPrivate: false });
const open = (url: string) => webhookUrlProblem(url, { allowPrivate: true });

describe('a URL is accepted', () => {
  test.each([
    'https://example.com',
    'https://example.com/webhooks?of=stancebook&at=%20',
    'HTTPS://EXAMPLE.COM:443/',
    'https://example.com:8443/',
    'https://example.com./',
    'https://xn--mnchen-3ya.example/',
    'https://internal.example.com/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/',
    ...PUBLIC_ADDRESSES.map((address) => `https://${address.includes(':') ? `[${address}]` : address}/`),
  ])('%s', (url) => {
    expect([closed(url), open(url)]).toEqual([null, null]);
  });

  test.each([
    'http://127.0.0.1:8080/',
    'https://localhost/',
    'http://receiver/',
    'http://[::1]:3000/',
    'https://10.0.0.1/',
    'https://receiver.internal/',
    'http://example.com/',
  ])('%s where private ones are allowed', (url) => {
    expect(open(url)).toBeNull();
    expect(closed(url)).not.toBeNull();
  });
});

describe('a URL is refused', () => {
  test.each([
    ['http://example.com/', 'must be an https URL in visible ASCII characters'],
    ['ftp://example.com/', 'must be an https URL'],
    ['example.com/webhooks', 'must be an https URL'],
    ['//example.com/', 'must be an https URL'],
    ['https:example.com', 'must be an https URL'],
    ['https:///example.com/', 'must be an https URL'],
    ['https:\\\\example.com\\', 'must be an https URL'],
    ['https://example.com\\@127.0.0.1/', 'must be an https URL'],
    [' https://example.com/', 'must be an https URL'],
    ['https://exam\nple.com/', 'must be an https URL'],
    ['https://münchen.example/', 'must be an https URL'],
    ['https://①②⑦.0.0.1/', 'must be an https URL'],
    ['https://127。0。0。1/', 'must be an https URL'],
    ['https://', 'must be an https URL'],
    ['https://exa mple.com/', 'must be an https URL'],
    ['https://example.com:65536/', 'must be an https URL'],
    ['https://1.2.3.256/', 'must be an https URL'],
    ['https://[fe80::1%25eth0]/', 'must be an https URL'],
    ['https://me:secret@example.com/', 'must not contain a user name or password'],
    ['https://@example.com/', 'must not contain a user name or password'],
    ['https://example.com@127.0.0.1/', 'must not contain a user name or password'],
    ['https://example.com/#part', 'must not have a fragment'],
    ['https://example.com/#', 'must not have a fragment'],
    ['https://example.com:25/', 'must have no port, or one from 1024 to 65535'],
    ['https://example.com:80/', 'must have no port'],
    ['https://example.com:0/', 'must have no port'],
    [`https://example.com/${'a'.repeat(WEBHOOK_REQUEST.urlLength)}`, 'must have at most 2048 characters'],
  ])('%s', (url, message) => {
    expect(closed(url)).toContain(message);
  });

  test.each(FORGED_HOSTS)('with the host %s', (host) => {
    expect(closed(`https://${host}/webhooks`)).toContain('must have a host that the public internet reaches');
  });

  test.each(['169.254.169.254', '0xa9fea9fe', '[fd00:ec2::254]', '0.0.0.0', '[::]', '100.100.100.200'])(
    'with the host %s, also where private ones are allowed',
    (host) => {
      expect(open(`http://${host}/latest/meta-data/`)).toContain('must have a host');
    },
  );
});
