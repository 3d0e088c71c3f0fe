interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** The cookies of one browser, as far as providers and the service need them: by origin, path and expiry. */
export class CookieJar {
  readonly #byOrigin = new Map<string, Map<string, Cookie>>();

  /** The header Cookie of a request to that URL; undefined without cookies. */
  header({ origin, pathname }: URL): string | undefined {
    const cookies = [...(this.#byOrigin.get(origin)?.values() ?? [])].filter(({ path }) => covers(path, pathname));
    return cookies.length > 0 ? cookies.map(({ name, value }) => `${name}=${value}`).join('; ') : undefined;
  }

  /** The value of a cookie that is stored for that origin. */
  get(origin: string, name: string): string | undefined {
    return [...(this.#byOrigin.get(origin)?.values() ?? [])].find((cookie) => cookie.name === name)?.value;
  }

  /** Stores the cookies that a browser would: `__Host-` ones only if Secure, with Path=/ and without Domain. */
  keep({ origin, protocol }: URL, setCookies: readonly string[]): void {
    for (const line of setCookies) {
      const [pair = '', ...parts] = line.split(/; */);
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(name.length + 1);
      const attributes = new Map(
        parts.map((part) => [part.replace(/=.*/, '').toLowerCase(), part.replace(/^[^=]*=?/, '')]),
      );
      const path = attributes.get('path') || '/';
      if (attributes.has('secure') && protocol !== 'https:') continue;
      if (name.startsWith('__Host-') && (!attributes.has('secure') || path !== '/' || attributes.has('domain')))
        continue;
      const cookies = this.#byOrigin.get(origin) ?? new Map<string, Cookie>();
      this.#byOrigin.set(origin, cookies);
      if (isOver(attributes)) cookies.delete(`${name} ${path}`);
      else cookies.set(`${name} ${path}`, { name, value, path });
    }
  }
}

function covers(path: string, pathname: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

function isOver(attributes: ReadonlyMap<string, string>): boolean {
  const maxAge = attributes.get('max-age');
  if (maxAge !== undefined) return Number(maxAge) <= 0;
  const expires = attributes.get('expires');
  return expires !== undefined && Date.parse(expires) <= Date.now();
}
