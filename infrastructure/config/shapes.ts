import { isIP } from 'node:net';
import { z } from 'zod';
import { ACCOUNT } from '../../domain/limits.ts';
import { type Instrument, namedInstrument } from '../../domain/market/instrument.ts';

/** Parses the text of a variable into a value. */
export interface Shape<T> {
  /** Ends the sentence "send ...". */
  readonly expects: string;
  readonly schema: z.ZodType<T, string>;
  /** A secret is never shown in a message. */
  readonly secret?: true;
}

/** Digits only: no sign, no exponent, no hexadecimal, no leading zero. */
export function integer(min: number, max: number): Shape<number> {
  const schema = z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);
  return { expects: `a whole number in digits, ${min} to ${max}`, schema };
}

export const share: Shape<number> = {
  expects: 'a number from 0 to 1, as `0.05`',
  schema: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/)
    .transform(Number),
};

export const boolean: Shape<boolean> = {
  expects: '`true` or `false`',
  schema: z.enum(['true', 'false']).transform((text) => text === 'true') as unknown as z.ZodType<boolean, string>,
};

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  const schema = z.string().refine((text): text is T => values.some((value) => value === text));
  return { expects: `one of ${values.map((value) => `\`${value}\``).join(', ')}`, schema };
}

/** Some of the words, each once, in the order that is sent. */
export function someOf<const T extends string>(...values: readonly T[]): Shape<readonly T[]> {
  return {
    expects: `some of ${values.map((value) => `\`${value}\``).join(', ')}, separated by commas`,
    schema: list((item) => values.find((value) => value === item) ?? null),
  };
}

export function text(expects: string, pattern: RegExp): Shape<string> {
  return { expects, schema: z.string().regex(pattern) };
}

export const secret: Shape<string> = {
  expects: 'at least 32 characters that nobody can guess (`openssl rand -base64 32`)',
  schema: z.string().min(32),
  secret: true,
};

export const secrets: Shape<readonly string[]> = {
  expects: 'secrets of at least 32 characters, separated by commas or lines',
  schema: z.string().transform((text, context) => {
    const read = list((item) => (item.length >= 32 ? item : null)).safeParse(text.trim().replace(/\r?\n/g, ','));
    return read.success ? read.data : refuse(context);
  }),
  secret: true,
};

export const key: Shape<string> = {
  expects: 'the key as it was issued: 8 to 200 visible characters',
  schema: z.string().regex(/^[\x21-\x7e]{8,200}$/),
  secret: true,
};

export const postgresUrl: Shape<string> = {
  expects: '`postgresql://user:password@host:5432/database`',
  schema: z.string().refine((text) => {
    const url = parsed(text);
    return url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
  }),
  secret: true,
};

/** An origin without its closing slash, as browsers send it. */
export const origin: Shape<string> = {
  expects: 'an origin as `https://api.example.com`: scheme and host, no path',
  schema: z.string().transform((text, context) => originOf(text) ?? refuse(context)),
};

export const origins: Shape<readonly string[]> = {
  expects: 'origins separated by commas, as `https://a.example,https://b.example`',
  schema: list((item) => originOf(item)),
};

export const httpProxy: Shape<string> = {
  expects: 'the origin of an HTTP proxy as `http://proxy.internal:4750`: no path, no user name',
  schema: origin.schema.refine((text) => text.startsWith('http:')),
};

/** A secret for the logs: it has a password. */
export const smtpUrl: Shape<string> = {
  expects:
    '`smtp://user:password@host:587` or `smtps://user:password@host:465`: percent-encode signs such as `@` and `/`',
  schema: z.string().refine((text) => {
    const url = parsed(text);
    if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return false;
    const bare = ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '';
    return bare && (url.username === '') === (url.password === '') && isDecodable(url.username + url.password);
  }),
  secret: true,
};

/** One address, with a name if it is wanted. Visible ASCII alone: no line of a header ends in it. */
export const mailbox: Shape<{ readonly name: string; readonly address: string }> = {
  expects: '`Name <mail@example.com>` or `mail@example.com`, in ASCII',
  schema: z.string().transform((text, context) => {
    const [, name = '', bracketed, bare] = MAILBOX.exec(text) ?? [];
    const address = bracketed ?? bare ?? '';
    return z.email().max(ACCOUNT.emailLength).safeParse(address).success
      ? { name: name.trim(), address }
      : refuse(context);
  }),
};

/** As the Host header spells them, without a port. */
export const hosts: Shape<readonly string[]> = {
  expects: 'host names or addresses without ports, separated by commas, as `api.internal,10.0.0.7,[::1]`',
  schema: list((item) => {
    const url = parsed(`http://${item}`);
    return url !== null && url.href === `http://${url.hostname}/` && !/[/*]/.test(item) ? url.hostname : null;
  }),
};

export const contacts: Shape<readonly string[]> = {
  expects: 'addresses as `mailto:security@example.org` or `https://example.org/report`, separated by commas',
  schema: list((item) => (/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(item) && parsed(item) ? item : null)),
};

/** Without its closing slash, so that a path can follow. */
export const address: Shape<string> = {
  expects: 'an address as `https://mirror.example/binance`, without query or credentials',
  schema: z.string().transform((text, context) => addressOf(text) ?? refuse(context)),
};

/** The whole address of a request; what is sent there is nobody else's to read. */
export const receiver: Shape<string> = {
  expects:
    'an address as `https://logs.example/v1/logs`, https (http on a loopback host only), without query or credentials',
  schema: address.schema.refine((text) => text.startsWith('https:') || LOOPBACK.test(new URL(text).hostname)),
};

/** Instruments by their keys. */
export const instruments: Shape<readonly Instrument[]> = {
  expects: 'identities separated by commas, as `stock:SPY:ARCA:spot:USD,crypto:ETH:KRAKEN:spot:USD`',
  schema: list((item) => {
    const [market, symbol, venue, asset_class, quote_currency, ...more] = item.split(':');
    if (!market || !symbol || !venue || !asset_class || !quote_currency || more.length > 0) return null;
    const named = namedInstrument({ market, symbol, venue, asset_class, quote_currency });
    return Array.isArray(named) ? null : (named as Instrument);
  }),
};

/** Names of venues that the service supports only through ccxt. */
export function furtherVenues(known: readonly string[]): Shape<readonly string[]> {
  return {
    expects: `upper-case names separated by commas, as \`GATE,KUCOIN\`, none of ${known.join(', ')}`,
    schema: list((item) => (/^[A-Z][A-Z0-9]{1,19}$/.test(item) && !known.includes(item) ? item : null)),
  };
}

/** The sources of each venue, in the order of use. */
export function sourcesByVenue<const T extends string>(
  venues: readonly string[],
  sources: readonly T[],
): Shape<Readonly<Record<string, readonly T[]>>> {
  const items = list((item) => venueSources(item, venues, sources));
  return {
    expects: `venues with their sources in order, as \`KRAKEN:kraken+coinbase,OKX:okx\`; the sources are ${sources.map((source) => `\`${source}\``).join(', ')}`,
    schema: items.transform((pairs, context) => {
      const byVenue = Object.fromEntries(pairs);
      return Object.keys(byVenue).length === pairs.length ? byVenue : refuse(context);
    }),
  };
}

export const issuer: Shape<string> = {
  expects: "the issuer's URL, https (http on a loopback host only), spelled as in its tokens",
  schema: z.string().refine((text) => {
    const url = parsed(text);
    return url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname)));
  }),
};

/** A number of hops or the proxies themselves, never all addresses: a caller could then forge its own. */
export const proxies: Shape<false | number | readonly string[]> = {
  expects: '`false`, the number of proxies in front (1 to 10), or their addresses or networks separated by commas',
  schema: z.union([
    z.literal('false').transform(() => false as const),
    integer(1, 10).schema,
    list((item) => (isNetwork(item) ? item : null)),
  ]) as z.ZodType<false | number | readonly string[], string>,
};

export const networks: Shape<readonly string[]> = {
  expects: 'addresses or networks separated by commas, as `10.0.0.0/8,192.0.2.7,fd00::/8`',
  schema: list((item) => (isNetwork(item) ? item : null)),
};

/** OpenID Connect Core, section 2: a case-sensitive text, mostly a URI. */
export const acrValues: Shape<readonly string[]> = {
  expects: 'values separated by commas, as `urn:example:mfa,phr`',
  schema: list((item) => (/^[\x21-\x2b\x2d-\x7e]{1,255}$/.test(item) ? item : null)),
};

export const versions: Shape<readonly string[]> = {
  expects: 'version names separated by commas, the current one last, as `1.0,1.1`',
  schema: list((item) => (/^[\w.-]{1,40}$/.test(item) ? item : null)),
};

const MAILBOX = /^(?:([\x20-\x7e]{0,80}?)<([^<>\s]+)>|([^<>\s]+))$/;

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function list<T>(read: (item: string) => T | null): z.ZodType<readonly T[], string> {
  return z.string().transform((text, context) => {
    const items = text.split(',').map((item) => read(item.trim()));
    const whole = items.filter((item) => item !== null);
    return whole.length === items.length && new Set(whole).size === whole.length ? whole : refuse(context);
  });
}

function refuse(context: z.RefinementCtx): never {
  context.addIssue('refused');
  return z.NEVER;
}

function originOf(text: string): string | null {
  const url = parsed(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.pathname === '/' && url.href === `${url.origin}/` ? url.origin : null;
}

function addressOf(text: string): string | null {
  const url = parsed(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const bare = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return bare ? url.href.replace(/\/+$/, '') : null;
}

function venueSources<T extends string>(
  item: string,
  venues: readonly string[],
  sources: readonly T[],
): readonly [string, readonly T[]] | null {
  const [venue = '', names = '', ...rest] = item.split(':');
  const known = names.split('+').map((name) => sources.find((source) => source === name));
  const whole = known.filter((source) => source !== undefined);
  const distinct = new Set(whole).size === known.length;
  return rest.length === 0 && venues.includes(venue) && distinct ? [venue, whole] : null;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128) && Number(bits) > 0)
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
