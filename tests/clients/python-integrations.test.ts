import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { submission } from '../../adapters/http/shapes/decisions/submission.ts';
import { readClientCases } from './client-cases.ts';
import { runPython } from './python/run-python.ts';
import { type Exchange, startScriptedServer } from './scripted-server.ts';

const CALLS = join(import.meta.dirname, 'python/integration_calls.py');
const { api_key } = readClientCases();

/** Calls an integration with a service that gives these replies, in this order. */
async function called(given: object, exchanges: readonly Exchange[] = []) {
  const server = await startScriptedServer(exchanges);
  try {
    const environment = { STANCEBOOK_URL: server.url, STANCEBOOK_API_KEY: api_key };
    const { status, stdout, stderr } = await runPython([CALLS], environment, JSON.stringify(given));
    expect([status, stderr]).toEqual([0, expect.not.stringContaining(api_key)]);
    expect(server.faults()).toEqual([]);
    return { reply: JSON.parse(stdout), stderr, url: server.url };
  } finally {
    await server.close();
  }
}

const RECALLED = { text: '## Own record', sha256: 'ab'.repeat(32), open: [], closed: [] };
const recalls = (query: string, reply: Exchange['reply'] = { status: 200, body: RECALLED }): Exchange => ({
  request: { method: 'GET', path: `/api/v1/agent/recall?${query}` },
  reply,
});
const submits = (reply: Exchange['reply'] = { status: 201, body: { record_id: 'dec_20261123_0a1b2c3d' } }) => ({
  request: { method: 'POST', path: '/api/v1/agent/decisions', headers: { 'idempotency-key': '*' } },
  reply,
});
const BTC = 'market=crypto&symbol=BTC&direction=bullish&horizon_kind=holding_seconds&horizon_value=14400';
const NO: Exchange['reply'] = { status: 401, text: 'no' };
const TOOLS = ['recall', 'find_instrument', 'submit_decision', 'get_decision_state', 'add_note'];

describe('freqtrade', () => {
  const live = { integration: 'freqtrade', mode: 'live' };

  test('states an entry signal after recall, with the close of its candle as cutoff, as the contract takes it', async () => {
    const { reply } = await called({ ...live, reason: 'After:' }, [recalls(BTC), submits()]);
    const [decision] = reply.bodies;
    expect(submission.safeParse(decision).error).toBeUndefined();
    expect(decision).toMatchObject({
      market: 'crypto',
      symbol: 'BTC',
      venue: 'BINANCE',
      asset_class: 'spot',
      quote_currency: 'USDT',
      direction: 'bullish',
      horizon_kind: 'holding_seconds',
      horizon_value: 14_400,
      reference_price: 100.5,
      key_factors: ['close above mean'],
      summary: 'After: ## Own record',
      inputs: [{ kind: 'data', name: 'recall', sha256: RECALLED.sha256 }],
      meta: { freqtrade: { strategy: 'MyStrategy', pair: 'BTC/USDT', timeframe: '5m', mode: 'live' } },
    });
    expect(Date.parse(decision.data_cutoff) - Date.parse(reply.opened)).toBe(300_000);
    expect(reply).toMatchObject({ same: true, recalled: { 'BTC/USDT': RECALLED } });
  });

  test('the cutoff of a candle that is not over lies not ahead', async () => {
    const { reply } = await called({ ...live, timeframe: '4h' }, [recalls(BTC), submits()]);
    const ahead = Date.parse(reply.bodies[0].data_cutoff) - Date.parse(reply.opened);
    expect(ahead).toBeLessThan(4 * 3_600_000);
  });

  test('a signal is stated once in a candle', async () => {
    await called({ ...live, pairs: ['BTC/USDT', 'BTC/USDT'] }, [recalls(BTC), submits()]);
  });

  test('a short of a linear contract is bearish on a perpetual', async () => {
    const given = { ...live, side: 'short', pairs: ['BTC/USDT:USDT'], tag: '' };
    const { reply } = await called(given, [recalls(BTC.replace('bullish', 'bearish')), submits()]);
    expect(reply.bodies[0]).toMatchObject({ direction: 'bearish', asset_class: 'perp', key_factors: [] });
  });

  test.each([
    ['a back-test', { mode: 'backtest' }],
    ['hyperopt', { mode: 'hyperopt' }],
    ['a plot', { mode: 'plot' }],
    ['a run without data provider', { mode: undefined }],
    ['a candle without signal', { side: '' }],
    ['an inverse contract', { pairs: ['BTC/USD:BTC'] }],
  ])('%s states nothing', async (_, given) => {
    const { reply, stderr } = await called({ ...live, ...given });
    expect([reply.same, reply.bodies, stderr]).toEqual([true, [], '']);
  });

  test.each([
    ['no rule for the horizon', { horizon: [] }, 'set stancebook_horizon'],
    ['an exchange without venue', { exchange: 'gate' }, 'stancebook_venue for the exchange gate'],
    ['a fault in the strategy', { fault: 'enter_long' }, 'enter_long'],
  ])('%s is a warning, and the strategy goes on', async (_, given, words) => {
    const { reply, stderr } = await called({ ...live, ...given });
    expect([reply.same, stderr]).toEqual([true, expect.stringContaining(words)]);
  });

  test('a service that refuses is a warning, and the decision names no recall', async () => {
    const { reply, stderr } = await called(live, [recalls(BTC, NO), submits(NO)]);
    expect([reply.same, reply.bodies.length, reply.bodies[0].inputs]).toEqual([true, 1, undefined]);
    expect(stderr.match(/the strategy goes on without it/g)).toHaveLength(2);
  });

  test('a service that is away is asked once, and not again for each pair', async () => {
    const away = recalls(BTC, { fault: 'drop' });
    const { reply, stderr } = await called({ ...live, pairs: ['BTC/USDT', 'ETH/USDT'] }, [away, submits()]);
    expect([reply.same, Object.keys(reply.recalled)]).toEqual([true, ['BTC/USDT']]);
    expect(stderr).toContain('the strategy goes on without it');
  });
});

describe('OpenAI Agents', () => {
  const integration = 'openai_agents';

  test('the server has address, key and the tools of the loop, and recall is read before the run', async () => {
    const { reply, url } = await called({ integration });
    expect(reply).toMatchObject({
      servers: [
        {
          params: { url: `${url}/mcp`, headers: { 'X-API-Key': api_key } },
          tool_filter: { allowed_tool_names: TOOLS },
        },
      ],
      recall: 'recall MSFT',
    });
  });

  test('a service that is away gives no server, a call that fails no recall, each with a warning', async () => {
    const away = await called({ integration, away: true });
    expect([away.reply, away.stderr]).toEqual([{ servers: [], recall: '' }, expect.stringContaining('refused')]);
    const failing = await called({ integration, fault: 'gone' });
    expect([failing.reply.recall, failing.stderr]).toEqual(['', expect.stringContaining('gone')]);
  });
});

describe('LangGraph', () => {
  const integration = 'langgraph';

  test('the tools of the loop come from the address with the key, and recall is a text', async () => {
    const { reply, url } = await called({ integration, replies: ['## Own record'] });
    const connection = { transport: 'http', url: `${url}/mcp`, headers: { 'X-API-Key': api_key } };
    expect(reply).toEqual({ tools: ['recall', 'submit_decision'], recall: '## Own record', left: 0, ...connection });
  });

  const LIMITED = JSON.stringify({ error: { code: 'RATE_LIMIT_EXCEEDED' } });
  test.each([
    ['a rate limit of the session', [429, '## Own record'], '## Own record', 0],
    ['a rate limit of the tool', [LIMITED, '## Own record'], '## Own record', 0],
    ['a limit that stays', [429, LIMITED, 429, '## Own record'], '', 1],
    ['another fault', [500, '## Own record'], '', 1],
    ['a refusal', [JSON.stringify({ error: { code: 'VALIDATION_ERROR' } })], '', 0],
  ])('%s is waited for, or no record', async (_, replies, recall, left) => {
    const { reply } = await called({ integration, replies });
    expect([reply.recall, reply.left]).toEqual([recall, left]);
  });

  test('a service that is away gives no tools, with a warning', async () => {
    const { reply, stderr } = await called({ integration, away: true });
    expect([reply, stderr]).toEqual([{ tools: [], recall: '', left: 0 }, expect.stringContaining('refused')]);
  });
});

describe('CrewAI', () => {
  const integration = 'crewai';
  const status = (reply: Exchange['reply']): Exchange => ({
    request: { method: 'GET', path: '/api/v1/public/auth/status?include=quota' },
    reply,
  });

  test('the server has address, key and the tools of the loop once the key is accepted', async () => {
    const exchanges = [status({ status: 200, body: {} }), recalls('market=stock&symbol=MSFT')];
    const { reply, url } = await called({ integration }, exchanges);
    expect(reply).toMatchObject({
      servers: [{ url: `${url}/mcp`, headers: { 'X-API-Key': api_key }, tool_filter: TOOLS }],
      recall: RECALLED.text,
    });
  });

  test('a service that refuses the key gives no server and no recall, each with a warning', async () => {
    const { reply, stderr } = await called({ integration }, [status(NO), recalls('market=stock&symbol=MSFT', NO)]);
    expect(reply).toEqual({ servers: [], recall: '' });
    expect(stderr.match(/the crew runs without it/g)).toHaveLength(2);
  });
});
