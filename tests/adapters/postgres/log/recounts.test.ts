import { constants, createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { httpTimestampClient } from '../../../../adapters/log/log-clients.ts';
import { quarantineDecision, releaseDecision } from '../../../../application/decisions/moderate-decision.ts';
import { keepLog } from '../../../../application/log/keep-log.ts';
import { learnNames, newestNames, withdrawName } from '../../../../application/market/names.ts';
import { type AskedCohort, drawnCohorts } from '../../../../clients/typescript/verify/asked-cohorts.ts';
import { openedLog } from '../../../../clients/typescript/verify/opened-log.ts';
import type { CohortReply } from '../../../../clients/typescript/verify/recount.ts';
import { type Recounted, type RecountMeans, recountCohorts } from '../../../../clients/typescript/verify/recounting.ts';
import { stampChecker } from '../../../../clients/typescript/verify/timestamps.ts';
import { textOf } from '../../../../clients/typescript/verify/verdict.ts';
import { certificatesOfPem, nodeStampCrypto } from '../../../../domain/log/timestamps/certificates.ts';
import { DAY, MINUTE } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aStatement } from '../../../builders/names.ts';
import { strangerAt } from '../../../harness/callers.ts';
import { aPastCall, gradedCalls } from '../../../harness/cohorts.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import {
  asAuthority,
  makeAuthority,
  makeRoot,
  type RunningAuthority,
  startAuthority,
} from '../../../harness/time-stamp-authority.ts';
import { type LoggedService, loggedService } from './logged-service.ts';
import { failures, tamper } from './tamper.ts';

// Who runs the service has every right in the database, and changes what cohorts are counted from.
const OPEN = {
  WISDOM_MIN_PRODUCERS: '1',
  WISDOM_MIN_SAMPLES: '1',
  LIMIT_PUBLIC_COHORTS_PER_MINUTE: '100000',
  LOG_OPENINGS_PER_MINUTE: '100000',
};
const BEARISH = 'direction=bearish&include_retroactive=true&market=crypto&symbol=BTC';

let logged: LoggedService;
let losers: readonly string[];
beforeAll(async () => {
  logged = await loggedService(18, true, OPEN);
  const { service, agent } = logged;
  const calls = Array.from({ length: 18 }, (_, i) => aPastCall(20 + i, { direction: i < 14 ? 'bearish' : 'neutral' }));
  await gradedCalls(service, [agent], calls);
  await logged.tick();
  await logged.tick();
  await service.ports.cohortCells.fold(1_000);
  const { rows } = await logged.opened.owner.query<{ record_id: string }>(
    `select record_id from app.decisions where direction = 'bearish' and result_bucket like '%incorrect' order by 1`,
  );
  losers = rows.map(({ record_id }) => record_id);
  expect(losers.length).toBeGreaterThan(3);
});
afterAll(() => logged.close());

const now = async () => (await logged.service.ports.clock.now()).getTime();

/** What a reader has at hand. @param meanwhile what happens at each wait of the reader for the log */
async function means(...meanwhile: readonly (() => Promise<unknown>)[]): Promise<RecountMeans> {
  let time = await now();
  let waits = 0;
  return {
    served: logged.served,
    policy: logged.policy,
    stamps: null,
    async ask(query) {
      const { status, body } = await strangerAt(logged.service).get(`/api/v1/public/cohorts?${query}`);
      expect([query, status]).toEqual([query, 200]);
      return { ...body, at: time };
    },
    unlogged: async () => null,
    names: async () => (await strangerAt(logged.service).get('/api/v1/public/securities/names')).text,
    now: () => time,
    async sleep(milliseconds) {
      expect(milliseconds).toBe(2 * MINUTE);
      await meanwhile[waits]?.();
      waits += 1;
      await logged.tick(milliseconds);
      time = await now();
    },
    draw: (below) => Math.floor(Math.random() * below),
    begin: () => undefined,
  };
}

const asked = async (query: string, source: AskedCohort['source'], by: RecountMeans): Promise<AskedCohort> => {
  const reply = await by.ask(query);
  if (!reply) throw new Error('The cohort is public.');
  return { reply, askedAt: by.now(), query: source === 'saved' ? null : query, source };
};

const quarantine = (id: string) => quarantineDecision(logged.service.ports, id, 'a test', 'test');
const release = (id: string) => releaseDecision(logged.service.ports, id, 'a test', 'test');

/** The lines of a recount of one cohort. @param meanwhile what happens at each wait */
async function recount(
  query: string = BEARISH,
  ...meanwhile: readonly (() => Promise<unknown>)[]
): Promise<readonly string[]> {
  const by = await means(...meanwhile);
  return linesOf(await recountCohorts([await asked(query, 'asked', by)], by));
}

/** Draws cohorts and counts them again. */
async function recountDrawn(wanted: number, by: RecountMeans): Promise<Recounted> {
  const drawn = { log: await openedLog(by), wanted };
  return recountCohorts(await drawnCohorts(wanted, drawn.log.decisions, by), by, drawn);
}

const linesOf = ({ lines }: Recounted) => lines.map(textOf);
const countLines = (lines: readonly string[]) => lines.filter((line) => /^\S+( checked)? +counts /.test(line));

const overviewOf = async (query: string) =>
  (await strangerAt(logged.service).get(`/api/v1/public/cohorts?${query}`)).body.overview;

describe('an honest service', () => {
  test('shows what the log has of every cohort that is drawn', async () => {
    const { lines: found, isHeld } = await recountDrawn(12, await means());
    const lines = found.map(textOf);
    expect([isHeld, failures(lines)]).toEqual([true, []]);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^holds +counts +12 of 12 cohorts are what the log has; of all 36 public decisions 0 late; not checked: largest_owner_share, ungraded, and which are called suspected$/,
      ),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^holds +decisions +0 of 36 missing or altered: all graded ones were opened/),
    );
  });

  test('has a name and a count for the cohort that was asked for', async () => {
    const { strong_correct, weak_correct, weak_incorrect, strong_incorrect } = (await overviewOf(BEARISH))
      .result_distribution;
    const counts = [strong_correct, weak_correct, weak_incorrect, strong_incorrect].join('/');
    expect(countLines(await recount())).toEqual([
      expect.stringMatching(
        new RegExp(`^holds +counts +crypto BTC bearish, with retroactive ones: ${counts}, 0 late$`),
      ),
      expect.stringMatching(/^holds +counts +1 of 1 cohorts are what the log has/),
    ]);
  });

  test.each([
    ['a quarantine', quarantine],
    ['a release', release],
  ])('%s while the reader waits is no failure, nor confirmed before leaves say so', async (_, moderate) => {
    const lines = await recount(BEARISH, () => moderate(losers[0] ?? ''));
    expect(failures(lines)).toEqual([]);
    expect(countLines(lines)[0]).toMatch(
      /^not checked counts +crypto BTC bearish.*: first shown \S+, then \S+; leaves say within a day what was/,
    );
  });

  test('a second quarantine during the second reading is no failure either', async () => {
    const [first = '', second = ''] = losers;
    const lines = await recount(
      BEARISH,
      () => quarantine(first),
      () => quarantine(second),
    );
    expect(failures(lines)).toEqual([]);
    expect(countLines(lines)[0]).toMatch(/^not checked counts .*: first shown \S+, then \S+; leaves say/);
    for (const id of [first, second]) await release(id);
  });

  test('a release that the openings of two readings show holds', async () => {
    const [, , loser = ''] = losers;
    await quarantine(loser);
    await logged.tick(DAY + 20 * MINUTE);
    await logged.tick();
    const by = await means(() => release(loser));
    const log = await openedLog(by);
    expect(log.missing).toBe(0);
    const cohort = await asked(BEARISH, 'drawn', by);
    const { lines, isHeld } = await recountCohorts([cohort], by, { log, wanted: 1 });
    expect([failures(lines.map(textOf)), isHeld]).toEqual([[], true]);
    expect(countLines(lines.map(textOf))[0]).toMatch(/^holds +counts +crypto BTC bearish/);
  });

  test('a grade while the reader waits is no failure', async () => {
    const lines = await recount(BEARISH, () =>
      gradedCalls(
        logged.service,
        [logged.agent],
        [90, 91].map((days) => aPastCall(days, { direction: 'bearish' })),
      ),
    );
    expect(failures(lines)).toEqual([]);
    expect(countLines(lines)[0]).toMatch(/^holds +counts +crypto BTC bearish/);
  });

  test('an outage of the log makes it not checked, and no failure', async () => {
    await logged.tick();
    await gradedCalls(logged.service, [logged.agent], [aPastCall(95, { direction: 'bearish' })]);
    const by = await means();
    const paused = {
      ...by,
      unlogged: async () => 'dec_20170605_0000000a',
      sleep: (milliseconds: number) => logged.service.arrange.advance(milliseconds),
    };
    const lines = linesOf(await recountCohorts([await asked(BEARISH, 'asked', paused)], paused));
    expect(countLines(lines)).toEqual([
      expect.stringMatching(
        /^not checked counts .*; the log is paused: dec_20170605_0000000a has no leaf of its grade yet$/,
      ),
    ]);
    await logged.tick();
    await logged.tick();
    expect(countLines(await recount())[0]).toMatch(/^holds /);
  });

  test('shows how many decisions of a cohort were logged late', async () => {
    const { service, agent } = logged;
    const said = { horizon_kind: 'trading_days', horizon_value: 1 } as const;
    const { body, status } = await agent.submit(aSubmission(await service.ports.clock.now(), said));
    expect([status, body.error]).toEqual([201, undefined]);
    await logged.tick(20 * MINUTE);
    await service.arrange.advance(3 * DAY);
    await service.settle();
    await logged.tick();
    await logged.tick();
    expect((await agent.read(body.record_id)).body.lifecycle_state).toBe('evaluated');
    const [line] = countLines(await recount('market=crypto&symbol=BTC'));
    expect(line).toMatch(/^holds +counts +crypto BTC: [0-9/]+, 1 late$/);
  });

  test('withholds cohorts, which is said', async () => {
    const by = await means();
    const none = await asked('market=crypto&symbol=ETH', 'asked', by);
    const lines = linesOf(await recountCohorts([none], by));
    expect(lines).toEqual([expect.stringMatching(/^not checked counts +crypto ETH: withheld: too_few_samples$/)]);
  });
});

describe('counts that somebody rewrote', () => {
  afterEach(() => logged.service.ports.cohortCells.rebuild());

  const bucketsText = (overview: { readonly result_distribution: Record<string, number> }) =>
    ['strong_correct', 'weak_correct', 'weak_incorrect', 'strong_incorrect']
      .map((bucket) => overview.result_distribution[bucket])
      .join('/');

  test.each([
    [
      'in the cells of losers',
      `update app.cohort_cells set n = 1 where direction = 'bearish' and result_bucket like '%incorrect'`,
    ],
    [
      'by calling losers suspected',
      `update app.decisions set cohort_exception = 'suspected_split' where direction = 'bearish'
        and result_bucket like '%incorrect' and record_id > 'dec_'; select app.rebuild_cohort_cells()`,
    ],
  ])('%s: the verifier shows both counts', async (_, statement) => {
    const honest = bucketsText(await overviewOf(BEARISH));
    await tamper(logged, [statement]);
    const wrong = bucketsText(await overviewOf(BEARISH));
    expect(wrong).not.toBe(honest);
    const lines = await recount();
    expect(failures(lines)).toEqual([
      `FAILS       counts            crypto BTC bearish, with retroactive ones: shown ${wrong}, the log has ${honest}`,
    ]);
    await tamper(logged, ['update app.decisions set cohort_exception = null']);
  });

  test('in had_said alone, or in the range of times', async () => {
    const cells = `where direction = 'bearish' or symbol = 'BTC'`;
    await tamper(logged, [`update app.cohort_cells set moves = array[n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] ${cells}`]);
    expect(failures(await recount())[0]).toMatch(
      /^FAILS +counts +crypto BTC .*: had_said of bullish: shown \S+, the log has \S+$/,
    );
    await logged.service.ports.cohortCells.rebuild();
    await tamper(logged, [`update app.cohort_cells set latest = latest + interval '1 day' ${cells}`]);
    expect(failures(await recount())[0]).toMatch(/time_range: shown \S+ to \S+, the log has \S+ to \S+$/);
  });

  test('a loser that is taken out of public view is in no count, and the log still says that it is graded', async () => {
    const [loser = ''] = losers;
    await tamper(logged, [
      `update app.decisions set lifecycle_state = 'verified' where record_id = '${loser}'`,
      'select app.rebuild_cohort_cells()',
    ]);
    const by = await means();
    const { lines: found, isHeld } = await recountCohorts([await asked(BEARISH, 'asked', by)], by);
    const lines = found.map(textOf);
    expect(lines).toContainEqual(
      expect.stringMatching(/^not checked decisions +1 of \d+ not shown, such as leaf \d+: a leaf may close it/),
    );
    expect(isHeld).toBe(false);
    expect(countLines(lines)).toEqual([
      expect.stringMatching(/^not checked counts .*; 1 graded one is not shown, of whatever cohort$/),
      expect.stringMatching(/^not checked counts .*; 1 graded one is not shown, of whatever cohort; of all/),
    ]);
    await tamper(logged, [`update app.decisions set lifecycle_state = 'evaluated' where record_id = '${loser}'`]);
  });
});

/** A reply that lacks losers, as a service may send to those whom it does not take for a verifier. */
async function doctored(by: RecountMeans, source: AskedCohort['source'] = 'saved'): Promise<AskedCohort> {
  const { reply, ...rest } = await asked(BEARISH, source, by);
  const { sample_count, result_distribution } = reply.overview as {
    readonly sample_count: number;
    readonly result_distribution: Readonly<Record<string, number>>;
  };
  const { strong_incorrect = 0 } = result_distribution;
  const buckets = { ...result_distribution, strong_incorrect: 0 };
  const overview = { ...reply.overview, sample_count: sample_count - strong_incorrect, result_distribution: buckets };
  return { ...rest, reply: { ...reply, overview } satisfies CohortReply };
}

describe('a service that lies to the verifier', () => {
  test('in its first reply alone is not confirmed by the second', async () => {
    const by = await means();
    const lie = await doctored(by, 'asked');
    for (const source of ['asked', 'drawn'] as const) {
      const drawn = source === 'drawn' ? { log: await openedLog(by), wanted: 1 } : null;
      const { lines, isHeld } = await recountCohorts([{ ...lie, source, askedAt: by.now() }], by, drawn);
      const [shown] = countLines(lines.map(textOf));
      expect([isHeld, shown]).toEqual([
        false,
        expect.stringMatching(/^not checked counts .*: first shown \S+\/0, then \S+\/[1-9]\d*; leaves say/),
      ]);
    }
  });

  test('by the counts of another minute fails, whatever its Date', async () => {
    const by = await means();
    const cohort = await asked(BEARISH, 'asked', by);
    for (const minutes of [-20, 20]) {
      const reply = { ...cohort.reply, at: cohort.reply.at + minutes * MINUTE };
      const { lines, isHeld } = await recountCohorts([{ ...cohort, reply }], by);
      expect([isHeld, lines.map(textOf)]).toEqual([
        false,
        [
          expect.stringMatching(
            /^FAILS +counts +asked at \S+ by the clock of this machine, the reply has the Date \S+$/,
          ),
        ],
      ]);
    }
  });

  test('by a Date that does not go on fails, within its leeway too', async () => {
    const by = await means();
    const at = by.now() - MINUTE;
    const frozen = { ...by, ask: async (query: string) => ({ ...(await by.ask(query)), at }) as CohortReply };
    const { lines, isHeld } = await recountCohorts([await asked(BEARISH, 'asked', frozen)], frozen);
    expect([isHeld, failures(lines.map(textOf))]).toEqual([
      false,
      ['FAILS       counts            within 120 s of this machine the Date of the replies went on by 0 s'],
    ]);
  });

  test.each([
    ['is slow', -4 * MINUTE, -4 * MINUTE],
    ['is fast', 4 * MINUTE, 4 * MINUTE],
    ['keeps a reply for a minute', 0, -MINUTE],
  ])('a service that %s, and not more, does not fail', async (_, first, second) => {
    const by = await means();
    const offsets = [first];
    const ask = async (query: string) => {
      const reply = (await by.ask(query)) as CohortReply;
      return { ...reply, at: reply.at + (offsets.pop() ?? second) };
    };
    const { lines } = await recountCohorts([await asked(BEARISH, 'asked', { ...by, ask })], { ...by, ask });
    expect(failures(lines.map(textOf))).toEqual([]);
  });

  test('about what it was asked for fails', async () => {
    const by = await means();
    const cohort = await asked(BEARISH, 'asked', by);
    const as_of = '2020-01-01T00:00:00.000Z';
    const reply = (await by.ask(`${BEARISH}&as_of=${as_of}`)) ?? cohort.reply;
    const lines = linesOf(await recountCohorts([{ ...cohort, reply }], by));
    expect(lines).toEqual([expect.stringMatching(/^FAILS +counts +asked for direction=.*, it counted as_of=2020/)]);
  });

  test('about the second question fails too', async () => {
    const by = await means();
    const lie = await doctored(by, 'asked');
    const other = { ...by, ask: () => by.ask('market=crypto&symbol=BTC&include_retroactive=true') };
    const lines = linesOf(await recountCohorts([lie], other));
    expect(failures(lines)).toEqual([expect.stringMatching(/^FAILS +counts +asked for direction=bearish&/)]);
  });

  test('by withholding a cohort, and all smaller ones, does not shrink what is drawn', async () => {
    const by = await means();
    let asks = 0;
    const withheldFirst = async (query: string) => {
      const reply = await by.ask(query);
      asks += 1;
      if (!reply || asks > 1) return reply;
      const suppression = { applied: true, reason: 'too_few_samples', min_samples: 1e9 };
      return { ...reply, overview: { sample_count: null, suppression } };
    };
    expect((await recountDrawn(5, { ...by, ask: withheldFirst })).isHeld).toBe(true);
    // With the one for the Date.
    expect(asks).toBe(7);
  });

  test('by showing fewer cohorts than were wanted is not confirmed', async () => {
    const by = await means();
    let asks = 0;
    const fewShown = async (query: string) => {
      const reply = await by.ask(query);
      asks += 1;
      const suppression = { applied: true, reason: 'too_few_producers', min_samples: 1 };
      return reply && asks > 2 ? { ...reply, overview: { sample_count: null, suppression } } : reply;
    };
    const { lines, isHeld } = await recountDrawn(5, { ...by, ask: fewShown });
    expect([isHeld, countLines(lines.map(textOf))]).toEqual([
      false,
      [
        expect.stringMatching(
          /^not checked counts +2 of 2 cohorts are what the log has; 8 withheld; 5 were wanted: --sample 2/,
        ),
      ],
    ]);
  });
});

describe('a log that an authority stamps, and no witness sees', () => {
  let folder: string;
  let authority: RunningAuthority;
  let witnessed: LoggedService;
  beforeAll(async () => {
    folder = makeThrowawayFolder('stamped-recount');
    makeRoot(folder, 'root');
    makeAuthority(folder, 'tsa');
    authority = await startAuthority(asAuthority(folder, 'tsa'));
    witnessed = logged;
    logged = await loggedService(6, false, OPEN);
    const { service, agent, writer } = logged;
    const said = { horizon_kind: 'trading_days', horizon_value: 1 } as const;
    const { body } = await agent.submit(aSubmission(await service.ports.clock.now(), said));
    await service.arrange.advance(2 * MINUTE);
    const trusted = certificatesOfPem(readFileSync(join(folder, 'root.pem'), 'utf8'));
    const timestamps = { urls: [authority.url], trusted, client: httpTimestampClient(), crypto: STAMPS, every: MINUTE };
    expect((await keepLog({ ...service.ports, ...writer, timestamps }, writer)).stamped?.missing.size).toBe(0);
    await service.arrange.advance(3 * DAY);
    await service.settle();
    for (let i = 0; i < 2; i += 1) await logged.tick();
    expect((await agent.read(body.record_id)).body.lifecycle_state).toBe('evaluated');
    await service.ports.cohortCells.fold(1_000);
  });
  afterAll(async () => {
    await Promise.all([logged.close(), authority.close()]);
    logged = witnessed;
    removeThrowawayFolder(folder);
  });

  const REALTIME = 'market=crypto&symbol=BTC';
  const counts = async (isTrusted: boolean) => {
    const root = readFileSync(join(folder, 'root.pem'), 'utf8');
    const by = { ...(await means()), stamps: isTrusted ? stampChecker(root, STAMPS) : null };
    return countLines(linesOf(await recountCohorts([await asked(REALTIME, 'asked', by)], by)));
  };

  test('is counted with the times of tokens by who trusts the authority alone', async () => {
    // The authority has the clock of this machine, by which the decision is not of now.
    expect((await counts(true))[0]).toMatch(/^holds +counts +crypto BTC: [0-9/]+, 1 late$/);
    expect((await counts(false))[0]).toMatch(/^holds +counts +crypto BTC: [0-9/]+, nobody saw when they were logged$/);
  });

  test('shows counts that somebody rewrote, whatever was stamped', async () => {
    await tamper(logged, [
      `update app.cohort_cells set result_bucket = case result_bucket
      when 'strong_correct' then 'weak_correct' else 'strong_correct' end where submission_origin = 'realtime'`,
    ]);
    expect((await counts(true))[0]).toMatch(/^FAILS +counts +crypto BTC: shown \S+, the log has \S+$/);
    await logged.service.ports.cohortCells.rebuild();
  });
});

const STAMPS = nodeStampCrypto({ createHash, createPublicKey, verify, constants });

describe('a service of a later release', () => {
  test('counts by a parameter that is not known here, which is no failure of it or of others', async () => {
    const by = await means();
    const cohort = await asked(BEARISH, 'saved', by);
    const { query } = cohort.reply;
    const newer = { ...cohort, reply: { ...cohort.reply, query: { ...query, mood: 'good' } } };
    const { lines, isHeld } = await recountCohorts([newer, cohort], by);
    expect([isHeld, countLines(lines.map(textOf))]).toEqual([
      false,
      [
        expect.stringMatching(/^holds +counts +crypto BTC bearish/),
        expect.stringMatching(
          /^not checked counts +get a newer verifier: .*: the query has a parameter that .*: mood$/,
        ),
      ],
    ]);
  });
});

describe('a reply that somebody else saved', () => {
  test('says the minute whose counts it has, and fails with one that is to come', async () => {
    const by = await means();
    const saved = await asked(BEARISH, 'saved', by);
    const at = new Date(saved.reply.at).toISOString();
    const [held] = countLines(linesOf(await recountCohorts([saved], by)));
    expect(held).toMatch(
      new RegExp(`^holds +counts +crypto BTC bearish, with retroactive ones at ${at} by its Date: `),
    );
    const future = { ...saved, reply: { ...saved.reply, at: by.now() + DAY } };
    const lines = linesOf(await recountCohorts([future], by));
    expect(lines).toEqual([expect.stringMatching(/^FAILS +counts .*: the Date of the reply is in the future: \S+$/)]);
  });

  test('is not checked within a day, when a quarantine or release could explain it, and fails after that', async () => {
    const by = await means();
    const saved = await doctored(by);
    const [early] = countLines(linesOf(await recountCohorts([saved], by)));
    expect(early).toMatch(
      /^not checked counts .*: shown \S+, the log has \S+; leaves say until \S+ what was quarantined/,
    );
    await logged.tick(DAY + 20 * MINUTE);
    const [late] = countLines(linesOf(await recountCohorts([saved], await means())));
    expect(late).toMatch(/^FAILS +counts .*: shown \S+, the log has \S+$/);
  });

  test('of before a quarantine never fails', async () => {
    const by = await means();
    const saved = await asked(BEARISH, 'saved', by);
    await quarantineDecision(logged.service.ports, losers[1] ?? '', 'a test', 'test');
    const [early] = countLines(linesOf(await recountCohorts([saved], by)));
    expect(early).toMatch(/^not checked counts /);
    await logged.tick(DAY + 20 * MINUTE);
    await logged.tick();
    const [late] = countLines(linesOf(await recountCohorts([saved], await means())));
    expect(late).toMatch(
      /^not checked counts .*; 1 were closed after a grade, and \d+ came back, which may explain it$/,
    );
  });
});

describe('statements about names that are learned later', () => {
  const OTHER = BEARISH.replace('BTC', 'BTX');
  const ofOther = { from: '2017-04-30', until: '2017-05-12' } as const;
  const sampleCount = async (query: string) => (await overviewOf(query)).sample_count as number | null;

  test('move decisions to the cohort of another security, and the log has the counts of both', async () => {
    // Until every grade so far is of a full minute.
    await logged.tick(2 * MINUTE);
    const before = await sampleCount(BEARISH);
    const said = aStatement({ market: 'crypto', name: 'BTC', venue: 'COINBASE', key: 'BTX', ...ofOther });
    const saved = await asked(BEARISH, 'saved', await means());
    await logged.tick(2 * MINUTE);
    // BTC is the key of a security, too: a filter by it stays what it was.
    const code = aStatement({ market: 'crypto', name: 'BTCODE', key: 'BTC', kind: 'code', from: '2017-01-01' });
    const { recounted } = await learnNames({ ...logged.service.ports, canonicalJson }, [code, said], 'test');
    expect(recounted).toBeGreaterThan(5);
    await logged.tick(2 * MINUTE);
    await logged.tick(2 * MINUTE);
    const [left, moved] = [(await sampleCount(BEARISH)) ?? 0, (await sampleCount(OTHER)) ?? 0];
    expect([moved > 3, left + moved]).toEqual([true, before]);
    for (const query of [BEARISH, OTHER]) {
      expect(failures(await recount(query))).toEqual([]);
      expect(countLines(await recount(query))[0]).toMatch(/^holds +counts /);
    }
    // What somebody saved before counts as it did then.
    expect(failures(linesOf(await recountCohorts([saved], await means())))).toEqual([]);
    const { lines, isHeld } = await recountDrawn(12, await means());
    expect([isHeld, failures(lines.map(textOf))]).toEqual([true, []]);
  });

  test('that are hidden, or counted by without being stated, are noticed', async () => {
    const by = await means();
    const hidden = { ...by, names: async () => null };
    const lines = linesOf(await recountCohorts([await asked(OTHER, 'asked', hidden)], hidden));
    expect(failures(lines)).toEqual([expect.stringMatching(/^FAILS +counts .*shown .*, the log has 0/)]);
    const text = (await by.names()) ?? '';
    const altered = { ...by, names: async () => text.replace('2017-05-12', '2017-05-11') };
    const others = linesOf(await recountCohorts([await asked(OTHER, 'asked', altered)], altered));
    expect(failures(others).join()).toMatch(/FAILS +names +statements about names learned at \S+ are in no leaf/);
  });

  test('and are withdrawn again move them back', async () => {
    const { newest } = await newestNames(logged.service.ports.names);
    await withdrawName({ ...logged.service.ports, canonicalJson }, newest, 'test');
    await logged.tick(2 * MINUTE);
    await logged.tick(2 * MINUTE);
    expect(await sampleCount(OTHER)).toBeNull();
    expect(countLines(await recount())[0]).toMatch(/^holds +counts /);
    expect(await logged.inside()).toEqual([]);
  });
});
