import { answerTo, ask } from '../../kit/ask.ts';
import { factList, fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { followDecisions } from '../../kit/live-list.ts';
import { hasProvider } from '../../kit/refused-state.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showNewest, showReading } from '../../kit/states.ts';
import { table } from '../../kit/tables.ts';
import { counted, countFacts, instant, plain } from '../../kit/value-texts.ts';
import { noticesOf } from './overview-words.ts';
import { showDue, showTroubled } from './pending-records.ts';

const SHOWN = 5;

const TITLE = 'Overview';

/** What the owner should know now: notices, what is due, what waits or fails and why, quotas, recent sign-ins. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const [notices, due, troubled, usage, signIns] = [h('div'), h('div'), h('div'), h('div'), h('div')];
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    notices,
    section('due', 'Due this week', due),
    section('troubled', 'Waiting or without prices', troubled),
    section('usage', 'Use of today', usage),
    section('sign-ins', 'Recent sign-ins', signIns),
  );
  const showCounted = () => {
    const readCounts = shared(() => ask<Schemas['Dashboard']>('/api/v1/owner/dashboard', { signal }));
    return Promise.all([
      showNotices(notices, signal, readCounts),
      showDue(due, signal, readCounts),
      showTroubled(troubled, signal, readCounts),
    ]);
  };
  await Promise.all([showCounted(), showUsage(usage, signal), showSignIns(signIns, signal)]);
  followDecisions(signal, showCounted);
  return TITLE;
}

function section(id: string, title: string, content: HTMLElement): HTMLElement {
  return h('section', { 'aria-labelledby': id }, h('h2', { id }, title), content);
}

/** One request for all parts that need its reply; after a refusal the next part that asks sends it again. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= read().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  };
}

interface Row {
  readonly name: string;
  readonly about: string;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: string;
}

/** What remains of the daily pools, and of the rate window of this session. */
async function showUsage(box: HTMLElement, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: 'the quotas',
    read: () => answerTo<Schemas['Capabilities']>('/api/v1/public/auth/status?include=quota', { signal }),
    show: ({ reply, headers }) => [
      usageTable([...poolRows(reply), windowRow(headers)]),
      reply.quota &&
        h(
          'p',
          { class: 'about' },
          `Each decision has ${reply.quota.check.limit_per_decision} checks of its state a day.`,
        ),
    ],
  });
}

function usageTable(rows: readonly Row[]): HTMLElement {
  return table<Row>({
    caption: 'All keys of the account share the pools of a day.',
    rows,
    columns: [
      { title: 'Pool', cell: ({ name, about }) => [name, h('span', { class: 'about' }, about)] },
      { title: 'Left', kind: 'number', cell: ({ remaining }) => remaining.toLocaleString('en-GB') },
      { title: 'Limit', kind: 'number', cell: ({ limit }) => limit.toLocaleString('en-GB') },
      { title: 'Full again', cell: ({ reset }) => instant(reset) },
    ],
  });
}

function poolRows({ quota }: Schemas['Capabilities']): readonly Row[] {
  if (!quota) return [];
  const { query, read } = quota;
  const credit = query.credit > 0 ? `, ${query.credit} of them earned by graded decisions` : '';
  return [
    { name: 'Cohort queries', about: `of agents${credit}`, ...query },
    { name: 'Records and batches', about: 'read by agents', ...read },
  ];
}

/** The window of the session, as the headers of the reply report it. */
function windowRow(headers: Headers): Row {
  const figure = (name: string) => Number(headers.get(`x-ratelimit-${name}`));
  return {
    name: 'Requests',
    about: 'in the current second or minute, whichever has less left; each key has windows of its own',
    limit: figure('limit'),
    remaining: figure('remaining'),
    reset: new Date(figure('reset') * 1_000).toISOString(),
  };
}

/** What the owner should act on. Nothing is shown if there is nothing. */
async function showNotices(
  box: HTMLElement,
  signal: AbortSignal,
  readCounts: () => Promise<Schemas['Dashboard']>,
): Promise<void> {
  await showNewest(box, signal, {
    what: 'notices',
    async read() {
      const [dashboard, webhooks, legal, erasure, factors] = await Promise.all([
        readCounts(),
        ask<Schemas['WebhookPage']>('/api/v1/owner/webhooks', { signal }),
        ask<Schemas['LegalStatus']>('/api/v1/owner/legal-status', { signal }),
        ask<Schemas['ScheduledErasure']>('/api/v1/owner/erasure', { signal }),
        ask<Schemas['FactorList']>('/api/v1/owner/auth/factors', { signal }),
      ]);
      const facts = { expiring: dashboard.expiring_keys, webhooks: webhooks.items, legal, erasure, factors };
      return { dashboard, notices: noticesOf(facts, instant) };
    },
    show: ({ dashboard, notices }) => [
      notices.length > 0 &&
        h(
          'ul',
          { class: 'notices', 'aria-label': 'Notices' },
          ...notices.map(({ words, href, action }) =>
            h('li', { class: 'notice' }, `${words} `, h('a', { href }, action), '.'),
          ),
        ),
      tiles(dashboard),
    ],
  });
}

function tiles({
  agents,
  keys,
  decisions: { by_state: states, by_bucket, archived },
  generated_at,
}: Schemas['Dashboard']): HTMLElement {
  const shown = Object.entries({
    agents,
    keys,
    'verified, not due yet': states.verified,
    graded: states.evaluated,
    ...by_bucket,
  });
  return h(
    'div',
    {},
    factList(countFacts(shown), { class: 'tiles', 'aria-label': 'Counts' }),
    h('p', { class: 'about' }, `${counted(archived, 'record')} archived. Counted ${instant(generated_at)}.`),
  );
}

type Event = Schemas['OwnSecurityEvent'];

/** The last logins, also those that were refused. */
async function showSignIns(box: HTMLElement, signal: AbortSignal): Promise<void> {
  const kinds = hasProvider() ? ['login', 'provider_login'] : ['login'];
  await showReading(box, signal, {
    what: 'recent sign-ins',
    async read() {
      const path = `/api/v1/owner/security-events?limit=${SHOWN}&kind=`;
      const pages = await Promise.all(
        kinds.map((kind) => ask<Schemas['OwnSecurityEventPage']>(`${path}${kind}`, { signal })),
      );
      const events = pages.flatMap(({ items }) => items);
      return events.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, SHOWN);
    },
    show: (events) =>
      events.length === 0
        ? []
        : [signInTable(events), h('p', {}, h('a', { href: '#/security' }, 'Sessions and all security events'))],
    none: 'None is recorded.',
  });
}

function signInTable(rows: readonly Event[]): HTMLElement {
  return table<Event>({
    caption: 'If you do not know one of them, change your password and end the other sessions.',
    rows,
    columns: [
      { title: 'When', cell: ({ at }) => instant(at) },
      {
        title: 'Result',
        cell: ({ result, count }) =>
          `${result === 'failure' ? 'refused' : 'signed in'}${count > 1 ? `, ${counted(count, 'time')}` : ''}`,
      },
      { title: 'Client', cell: ({ client }) => plain(client) },
      { title: 'Network', cell: ({ network }) => (network === null ? '' : h('code', {}, network)) },
    ],
  });
}
