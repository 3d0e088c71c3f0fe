import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { submission } from '../../adapters/http/shapes/decisions/submission.ts';
import { isShown } from '../../domain/shown-text.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { readClientCases } from './client-cases.ts';
import { runPython } from './python/run-python.ts';
import { type Exchange, startScriptedServer } from './scripted-server.ts';

const CALLS = join(import.meta.dirname, 'python/tradingagents_calls.py');
const RECORD = 'dec_20261123_0a1b2c3d';
const { api_key } = readClientCases();

const folder = makeThrowawayFolder('tradingagents');
afterAll(() => removeThrowawayFolder(folder));

/** Calls the integration with the server as its service; nothing listens there without one. */
async function called(given: object, url = 'http://127.0.0.1:9') {
  const environment = { STANCEBOOK_URL: url, STANCEBOOK_API_KEY: api_key };
  const { status, stdout, stderr } = await runPython([CALLS], environment, JSON.stringify(given));
  expect([status, stderr]).toEqual([0, expect.not.stringContaining(api_key)]);
  return { reply: JSON.parse(stdout), stderr };
}

async function calledWith(given: object, exchanges: readonly Exchange[]) {
  const server = await startScriptedServer(exchanges);
  try {
    const done = await called(given, server.url);
    expect(server.faults()).toEqual([]);
    return done;
  } finally {
    await server.close();
  }
}

const accepted = (record_id = RECORD): Exchange['reply'] => ({ status: 201, body: { record_id } });
const submitted = (reply: Exchange['reply'], headers = { 'idempotency-key': '*' }): Exchange => ({
  request: { method: 'POST', path: '/api/v1/agent/decisions', headers },
  reply,
});
const stateRead = (body: object): Exchange => ({
  request: { method: 'GET', path: `/api/v1/agent/decisions/${RECORD}/state` },
  reply: { status: 200, body },
});
const noted = (text: string, reply: Exchange['reply'] = { status: 201, body: { number: 1 } }): Exchange => ({
  request: { method: 'POST', path: `/api/v1/agent/decisions/${RECORD}/notes`, body: { text } },
  reply,
});
/** The service's refusal of a note on a record without an outcome, which it expects after these seconds, or never. */
const openRecord = (retry_after_seconds: number | null): Exchange['reply'] => ({
  status: 409,
  body: { error: { code: 'RECORD_OPEN', category: 'retryable', message: 'No.', suggestion: '', retry_after_seconds } },
});
const refused = (code: string, category: string): Exchange['reply'] => ({
  status: 429,
  body: { error: { code, category, message: 'No.', suggestion: 'Wait.', retry_after_seconds: 900 } },
});

describe('what a decision of TradingAgents becomes', () => {
  test.each([
    ['Buy', 'bullish'],
    ['Overweight', 'bullish'],
    ['Hold', 'neutral'],
    ['Underweight', 'bearish'],
    ['Sell', 'bearish'],
  ])('%s is %s over five sessions, as the contract takes it', async (rating, direction) => {
    const text = `**Rating**: ${rating}\n\n**Investment Thesis**: Strong margins.`;
    const { reply } = await called({ decide: [['NVDA', '2026-11-20', text]] });
    expect(submission.parse(reply[0])).toEqual(reply[0]);
    expect(reply).toEqual([
      {
        market: 'stock',
        symbol: 'NVDA',
        venue: 'NASDAQ',
        asset_class: 'spot',
        quote_currency: 'USD',
        direction,
        horizon_kind: 'trading_days',
        horizon_value: 5,
        data_cutoff: '2026-11-20T23:59:59Z',
        key_factors: [`TradingAgents rated it ${rating}`],
        perspective_type: 'composite',
        summary: text,
        tags: ['tradingagents'],
        meta: { tradingagents: { ticker: 'NVDA', trade_date: '2026-11-20', rating } },
        model: { id: 'a-model' },
      },
    ]);
  });

  test('a date of today, or one ahead, has the data of now', async () => {
    const { reply } = await called({ decide: ['2026-11-23', '2026-11-24'].map((date) => ['NVDA', date, 'Buy']) });
    const cutoffs = reply.map(({ data_cutoff }: { data_cutoff: string }) => data_cutoff);
    expect(cutoffs).toEqual(['2026-11-23T15:30:00Z', '2026-11-23T15:30:00Z']);
  });

  test('a text without a rating is no decision, although TradingAgents itself notes Hold', async () => {
    const { reply } = await called({ decide: [['NVDA', '2026-11-20', 'No clear signal at this time.']] });
    expect(reply).toEqual([null]);
  });

  test('a long text with characters that JSON cannot have still makes a summary', async () => {
    const { reply } = await called({ decide: [['NVDA', '2026-11-20', `Buy \u0000\ud800${'😀'.repeat(3_000)}`]] });
    expect(submission.safeParse(reply[0]).success).toBe(true);
  });

  test('characters that do not show are left out, which the service would refuse', async () => {
    // No other plane has any, except its last two.
    const planes = [0, 1, 14].flatMap((plane) =>
      Array.from({ length: 0x1_0000 }, (_, code) => plane * 0x1_0000 + code),
    );
    const all = [...planes, 0x2_fffe, 0x10_ffff].map((code) => String.fromCodePoint(code));
    const hidden = all.filter((each) => !isShown(each)).join('');
    const { reply } = await called({ decide: [['NVDA', '2026-11-20', `Buy on margins${hidden}.`]] });
    expect(reply[0].summary).toBe('Buy on margins\n\n.');
  });

  test('each ticker has the instrument that Yahoo names by it, or none', async () => {
    const known = [
      'NVDA',
      'BRK-B',
      '600519.SS',
      '000001.SZ',
      'BTC-USD',
      'BTCUSDT',
      'ETH-BTC',
      '0700.HK',
      'RCI-B.TO',
      'VOD.L',
    ];
    const unknown = ['PETR4.SA', 'XAUUSD', 'SPX500', 'EURUSD', 'GC=F'];
    const { reply } = await called({ instruments: [...known, ...unknown] });
    const identity = (each: object | null) => each && Object.values(each).join(' ');
    expect(reply.map(identity)).toEqual([
      'stock NVDA NASDAQ spot USD',
      'stock BRK-B NASDAQ spot USD',
      'stock 600519 SSE spot CNY',
      'stock 000001 SZSE spot CNY',
      'crypto BTC COINBASE spot USD',
      'crypto BTC COINBASE spot USD',
      'crypto ETH COINBASE spot BTC',
      'stock 0700.HK HKEX spot HKD',
      'stock RCI-B.TO TSX spot CAD',
      'stock VOD.L LSE spot GBX',
      ...unknown.map(() => null),
    ]);
  });
});

describe('the memory log', () => {
  const entry = { ticker: 'NVDA', trade_date: '2026-11-20', final_trade_decision: '**Rating**: Buy' };
  const outcome = { ticker: 'NVDA', trade_date: '2026-11-20', raw_return: 0.05, alpha_return: 0.02, holding_days: 5 };

  test('submits each decision once, also over several processes, and the entry is that of TradingAgents', async () => {
    const log = join(folder, 'once.md');
    const { reply } = await calledWith({ log, store: [entry, entry] }, [submitted(accepted())]);
    expect(reply.entries[0]).toMatchObject({ ticker: 'NVDA', decision: '**Rating**: Buy', pending: true });
    await calledWith({ log, store: [entry] }, []);
  });

  test('adds the grade to the reflection, for one outcome and for many', async () => {
    const log = join(folder, 'graded.md');
    const closed = stateRead({ state: 'closed', outcome: { result_bucket: 'strong_correct', raw_return: 0.0434 } });
    const given = {
      log,
      store: [entry],
      outcomes: [{ ...outcome, reflection: 'Right.' }],
      batch: [
        { ...outcome, reflection: 'Right again.' },
        { ...outcome, ticker: 'AMD', reflection: 'Of another.' },
      ],
    };
    const notes = ['After 5d, +5.0%: Right.', 'After 5d, +5.0%: Right again.'].map((text) => noted(text));
    const [first, second] = notes.map((note) => [closed, note]);
    const { reply } = await calledWith(given, [submitted(accepted()), ...(first ?? []), ...(second ?? [])]);
    const line = `\n\nGraded by Stancebook (${RECORD}): strong_correct, return +4.3%.`;
    expect(reply.updates).toEqual([
      { ticker: 'NVDA', trade_date: '2026-11-20', reflection: `Right.${line}` },
      { ticker: 'NVDA', trade_date: '2026-11-20', reflection: `Right again.${line}` },
      { ticker: 'AMD', trade_date: '2026-11-20', reflection: 'Of another.' },
    ]);
  });

  test('adds recall to the context of the next run; without venue or service the context alone', async () => {
    const request = {
      method: 'GET',
      path: '/api/v1/agent/recall?market=stock&symbol=NVDA&horizon_kind=trading_days&horizon_value=5',
    };
    const replies: Exchange['reply'][] = [
      { status: 200, body: { text: '## Own record' } },
      { status: 401, text: 'no' },
    ];
    const given = { log: join(folder, 'recalled.md'), contexts: ['NVDA', 'GC=F', 'NVDA'] };
    const { reply, stderr } = await calledWith(
      given,
      replies.map((each) => ({ request, reply: each })),
    );
    const [recalled, ...alone] = reply.contexts;
    expect(recalled).toBe('Past analyses of NVDA\n\n## Own record');
    expect(alone).toEqual(['Past analyses of GC=F', 'Past analyses of NVDA']);
    expect(stderr).toContain('could not read the recall; the run goes on without it');
  });

  test('leaves the reflection as it is while there is no grade', async () => {
    const given = { log: join(folder, 'open.md'), store: [entry], outcomes: [{ ...outcome, reflection: 'Right.' }] };
    const text = 'After 5d, +5.0%: Right.';
    const tracking = stateRead({ state: 'tracking' });
    const { reply } = await calledWith(given, [submitted(accepted()), tracking, noted(text, openRecord(900))]);
    expect(reply.updates).toEqual([expect.objectContaining({ reflection: 'Right.' })]);
  });

  describe('a reflection', () => {
    const text = 'After 5d, +5.0%: Right.';
    const recalled: Exchange = {
      request: {
        method: 'GET',
        path: '/api/v1/agent/recall?market=stock&symbol=NVDA&horizon_kind=trading_days&horizon_value=5',
      },
      reply: { status: 200, body: { text: '## Own record' } },
    };

    /** A run whose reflection gets this reply, and then a run of another process that gets these exchanges. */
    async function twoRuns(name: string, reply: Exchange['reply'], exchanges: readonly Exchange[]) {
      const log = join(folder, name);
      const given = { log, store: [entry], outcomes: [{ ...outcome, reflection: 'Right.' }] };
      const script = [submitted(accepted()), stateRead({ state: 'tracking' }), noted(text, reply)];
      const first = await calledWith(given, script);
      const second = await calledWith({ log, contexts: ['NVDA'] }, [...exchanges, recalled]);
      expect(second.reply.contexts).toEqual(['Past analyses of NVDA\n\n## Own record']);
      return first.stderr;
    }

    test.each([
      ['before the outcome', openRecord(900)],
      ['at a daily quota', refused('DAILY_QUOTA_EXCEEDED', 'quota_exceeded')],
      ['while the service is away', { status: 503, text: 'away', headers: { 'retry-after': '900' } }],
      ['with a key that is refused', { status: 401, text: 'no' }],
    ])('%s waits, and is a note before the next recall', async (name, reply) => {
      await twoRuns(`${name}.md`, reply, [noted(text)]);
    });

    test.each([
      ['ended without an outcome', openRecord(null)],
      ['holds no more notes', refused('TIER_LIMIT_REACHED', 'quota_exceeded')],
      ['is gone', { status: 404, text: 'no' }],
    ])('on a record that %s is a warning, and is not sent again', async (name, reply) => {
      expect(await twoRuns(`${name}.md`, reply, [])).toContain(`takes no note on ${RECORD}`);
    });

    test('is a note without characters that the service refuses, in the length that it takes', async () => {
      const long = '\u200b\ufe0f\u2800\0😀'.repeat(3_000);
      const given = { log: join(folder, 'long.md'), store: [entry], outcomes: [{ ...outcome, reflection: long }] };
      const shortened = noted(`After 5d, +5.0%: ${'😀'.repeat(1_000 - 17)}`);
      await calledWith(given, [submitted(accepted()), stateRead({ state: 'tracking' }), shortened]);
    });
  });

  const INVALID: Exchange['reply'] = { status: 401, text: 'no' };
  test.each([
    ['refuses', { log: 'refusing.md' }, INVALID],
    ['answers with something else', { log: 'other.md' }, { status: 201, text: '<h1>Log in</h1>' }],
    ['answers without a record id', { log: 'without.md' }, { status: 201, body: [] }],
  ])('goes on with a warning when the service %s', async (_, { log }, reply) => {
    const given = { log: join(folder, log), store: [entry], outcomes: [{ ...outcome, reflection: 'Right.' }] };
    const done = await calledWith(given, [submitted(reply)]);
    expect(done.stderr).toMatch(/Stancebook could not submit a decision; the run goes on without it/);
    expect([done.reply.entries.length, done.reply.updates.length]).toEqual([1, 1]);
  });

  test('goes on with a warning when there is no service, no address, or an unreadable file of records', async () => {
    const given = (log: string) => ({
      log: join(folder, log),
      store: [entry],
      batch: [{ ...outcome, reflection: '' }],
    });
    writeFileSync(join(folder, 'broken.md.stancebook.json'), '{');
    for (const log of ['away.md', 'broken.md']) {
      const { reply, stderr } = await called(given(log));
      expect(stderr).toContain('the run goes on without it');
      expect([reply.entries.length, reply.updates.length]).toEqual([1, 1]);
    }
    const { reply } = await called(given('no-address.md'), '');
    expect(reply.entries).toHaveLength(1);
  });

  test('a date that is none is a warning, not an error', async () => {
    const { reply, stderr } = await called({
      log: join(folder, 'dates.md'),
      store: [{ ...entry, trade_date: 'soon' }],
    });
    expect([reply.entries.length, stderr]).toEqual([1, expect.stringContaining('could not submit')]);
  });
});

describe('the import of a memory log', () => {
  const block = (date: string, ticker: string, text: string) =>
    `[${date} | ${ticker} | Buy | +5.0% | +2.0% | 5d]\n\nDECISION:\n${text}\n\nREFLECTION:\nRight.\n\n<!-- ENTRY_END -->\n\n`;

  test('submits what has a rating and a venue, once, and counts the rest', async () => {
    const log = join(folder, 'imported.md');
    writeFileSync(
      log,
      block('2003-02-13', 'MSFT', 'Rating: Buy') +
        block('2003-02-14', 'MSFT', 'No clear signal.') +
        block('2003-02-18', 'GC=F', 'Rating: Sell') +
        block('2003-02-18', 'IBM', 'Rating: Sell'),
    );
    const cooldown = submitted(refused('DUPLICATE_SUBMISSION', 'retryable'));
    const first = await calledWith({ log, import: true }, [submitted(accepted()), cooldown]);
    expect(first.reply.counts).toEqual({ submitted: 1, known: 0, 'left out': 2, refused: 1 });
    const second = await calledWith({ log, import: true }, [submitted(accepted('dec_20261123_00000001'))]);
    expect(second.reply.counts).toEqual({ submitted: 1, known: 1, 'left out': 2, refused: 0 });
    expect(JSON.parse(readFileSync(`${log}.stancebook.json`, 'utf8'))).toEqual({
      '2003-02-13 MSFT': RECORD,
      '2003-02-18 IBM': 'dec_20261123_00000001',
    });
  });

  test('ends at a daily quota', async () => {
    const log = join(folder, 'quota.md');
    writeFileSync(log, block('2003-02-13', 'MSFT', 'Rating: Buy') + block('2003-02-14', 'IBM', 'Rating: Buy'));
    const { reply } = await calledWith({ log, import: true }, [
      submitted(refused('RETROACTIVE_QUOTA_EXCEEDED', 'quota_exceeded')),
    ]);
    expect(reply.counts).toEqual({ submitted: 0, known: 0, 'left out': 0, refused: 1 });
    expect(existsSync(`${log}.stancebook.json`)).toBe(false);
  });
});
