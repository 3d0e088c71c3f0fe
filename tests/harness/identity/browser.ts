import type { Express } from 'express';
import request from 'supertest';
import { CookieJar } from './cookie-jar.ts';
import { USER_HEADER } from './provider.ts';

export interface Page {
  /** Where the browser is. */
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A person with a browser, which stores cookies and follows redirects to any origin. */
export interface Browser {
  readonly cookies: CookieJar;
  /** One request, without following a redirect. */
  step(url: URL | string, form?: Readonly<Record<string, string>>): Promise<Page>;
  /** Follows redirects to the first page, or up to the address `until`, which is not requested. */
  visit(url: URL | string, until?: string): Promise<Page>;
  /** Sends the page's form with its hidden fields, and follows redirects. */
  submit(page: Page, fields?: Readonly<Record<string, string>>): Promise<Page>;
}

export interface BrowserOptions {
  /** The name of the user for the provider. */
  readonly user: string;
  /** Applications of this process, by the origin that they serve. */
  readonly apps?: Readonly<Record<string, Express>>;
}

const MOST_REDIRECTS = 20;

export function openBrowser({ user, apps = {} }: BrowserOptions): Browser {
  const cookies = new CookieJar();

  async function step(to: URL | string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const url = new URL(to);
    const cookie = cookies.header(url);
    const headers = { [USER_HEADER]: user, ...(cookie && { cookie }) };
    const app = apps[url.origin];
    const page = app ? await askApp(app, url, headers) : await askServer(url, headers, form);
    cookies.keep(url, page.headers.getSetCookie());
    return page;
  }

  async function follow(first: Page, until?: string): Promise<Page> {
    let page = first;
    for (let hops = 0; hops < MOST_REDIRECTS; hops += 1) {
      const location = page.headers.get('location');
      if (location === null || page.status < 300 || page.status > 399) return page;
      const url = new URL(location, page.url);
      if (until !== undefined && url.href.startsWith(until)) return { ...page, url };
      page = await step(url);
    }
    throw new Error(`Too many redirects, the last to ${page.url.href}`);
  }

  return {
    cookies,
    step,
    visit: async (url, until) => follow(await step(url), until),
    async submit(page, fields = {}) {
      const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
      if (action === undefined) throw new Error(`No form at ${page.url.href}: ${page.text.slice(0, 500)}`);
      return follow(await step(new URL(unescaped(action), page.url), { ...hiddenFields(page.text), ...fields }));
    },
  };
}

async function askApp(app: Express, url: URL, headers: Readonly<Record<string, string>>): Promise<Page> {
  const reply = await request(app).get(`${url.pathname}${url.search}`).redirects(0).set(headers);
  const headersOfReply = new Headers();
  for (const [name, value] of Object.entries(reply.headers as Readonly<Record<string, string | string[]>>)) {
    for (const one of [value].flat()) headersOfReply.append(name, one);
  }
  return { url, status: reply.status, headers: headersOfReply, text: reply.text };
}

async function askServer(
  url: URL,
  headers: Readonly<Record<string, string>>,
  form?: Readonly<Record<string, string>>,
): Promise<Page> {
  const body = form && new URLSearchParams(form);
  const reply = await fetch(url, { redirect: 'manual', headers, ...(body && { method: 'POST', body }) });
  return { url, status: reply.status, headers: reply.headers, text: await reply.text() };
}

function hiddenFields(text: string): Record<string, string> {
  const inputs = text.match(/<input[^>]*type="hidden"[^>]*>/g) ?? [];
  return Object.fromEntries(inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]));
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
