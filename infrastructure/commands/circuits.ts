import { resolveCircuit, tripCircuit } from '../../application/circuits/change-circuit.ts';
import type { Circuit } from '../../domain/circuits/circuit.ts';
import { COINS } from '../../domain/circuits/coin.ts';
import { type CircuitView, circuitView, isStale } from '../../domain/circuits/observe.ts';
import { CIRCUIT } from '../../domain/limits.ts';
import { DAY, HOUR, SECOND } from '../../domain/time.ts';
import { operatorName } from '../operator-name.ts';
import { argumentsIn, type Command, type CommandContext, type ExitCode, oneOf, UsageError } from './command.ts';
import { type Columns, driftChart, priceText, secondOf, tableOf } from './text.ts';

type Run = (context: CommandContext) => Promise<ExitCode>;

/** Shows the circuits of the stablecoins, trips one or resolves one. */
export const CIRCUIT_COMMANDS = [
  {
    name: 'circuits',
    usage: '[trip COIN REASON | resolve COIN --justification TEXT --evidence URL ...]',
    summary:
      'show the circuits of USDT and USDC, exit code 1 while one is not normal or its price is not known; ' +
      'or trip one, or resolve one that is warming',
    json:
      '{ circuits: [{ coin, state, since, snapshot_id, reason, peg, recovery, stale }], monitored, auto_trip }; ' +
      'circuits: only the changed one after trip and resolve',
    read(args) {
      const [action, ...rest] = args;
      if (action === undefined) return showCircuits;
      if (action === 'trip') return readTrip(rest);
      if (action === 'resolve') return readResolution(rest);
      throw new UsageError(`circuits ${action}: send trip or resolve, or nothing.`);
    },
  } satisfies Command,
];

function readTrip(args: readonly string[]): Run {
  const { positionals } = argumentsIn(args, {});
  const [name, ...words] = positionals;
  const coin = coinIn(name);
  return async (context) => {
    return showChange(context, await tripCircuit(silent(context.storage), coin, words.join(' '), operatorName()));
  };
}

function readResolution(args: readonly string[]): Run {
  const options = { justification: { type: 'string' }, evidence: { type: 'string', multiple: true } } as const;
  const { positionals, values } = argumentsIn(args, options);
  if (positionals.length > 1) throw new UsageError('Name one coin.');
  const coin = coinIn(positionals[0]);
  const resolution = { justification: values.justification ?? '', evidence_urls: values.evidence ?? [] };
  return async (context) => {
    return showChange(context, await resolveCircuit(silent(context.storage), coin, resolution, operatorName()));
  };
}

function coinIn(text: string | undefined) {
  if (text === undefined) throw new UsageError(`Name a coin: ${COINS.join(' or ')}.`);
  return oneOf(COINS)(text.toUpperCase(), 'The coin');
}

/** Announces nothing: the operator sees what the command prints. */
function silent({ transaction }: CommandContext['storage']) {
  return { transaction, announce: () => undefined };
}

function showChange({ print, report }: CommandContext, circuit: CircuitView): ExitCode {
  const { coin, state, snapshot_id } = circuit;
  print(`${coin}: is ${state} now (${snapshot_id})`);
  report({ circuits: [circuit] });
  return 0;
}

/** Exit code 1 while a circuit is not normal or has no fresh price. */
async function showCircuits({ storage, config, print, report }: CommandContext): Promise<ExitCode> {
  const now = await storage.clock.now();
  const circuits = await storage.circuits.all();
  print(tableOf(columnsAt(now), circuits));
  for (const circuit of circuits) {
    const observations = await storage.circuits.observations(circuit.coin, new Date(now.getTime() - DAY));
    for (const line of linesOf(circuit, now)) print(line);
    print(driftChart(observations, now) ?? `${circuit.coin}: no price was observed in the last 24 h.`);
  }
  if (!config.marketData.network) print('The service calls no source on the network (MARKET_DATA_NETWORK=false).');
  else if (config.marketData.pegs === null)
    print('The service reads no prices of stablecoins (CIRCUIT_MONITOR=false).');
  if (!config.circuit.autoTrip) print('The monitor trips no circuit by itself (CIRCUIT_AUTO_TRIP=false).');
  report({
    circuits: circuits.map((circuit) => ({ ...circuitView(circuit, now), stale: isStale(circuit, now) })),
    monitored: config.marketData.pegs !== null,
    auto_trip: config.circuit.autoTrip,
  });
  return circuits.every((circuit) => circuit.state === 'normal' && !isStale(circuit, now)) ? 0 : 1;
}

function columnsAt(now: Date): Columns<Circuit> {
  return {
    coin: ({ coin }) => coin,
    state: ({ state }) => state,
    since: ({ since }) => (since ? secondOf(since) : 'no change'),
    price: ({ peg }) => (peg ? priceText(peg.price) : ''),
    'drift bps': ({ peg }) => (peg ? priceText(peg.drift_bps) : ''),
    observed: (circuit) =>
      circuit.peg ? `${ageOf(circuit.peg.observed_at, now)} ago${isStale(circuit, now) ? ', stale' : ''}` : 'never',
    reason: ({ reason }) => reason ?? '',
  };
}

function linesOf(circuit: Circuit, now: Date): readonly string[] {
  const { coin, peg } = circuit;
  const sources = peg?.sources.map(({ source, price, at }) => `${source} ${priceText(price)} (${ageOf(at, now)})`);
  return ['', ...(sources ? [`${coin}: ${sources.join(', ')}`] : []), ...recoveryLines(circuit, now)];
}

function recoveryLines(circuit: Circuit, now: Date): readonly string[] {
  const { coin, state } = circuit;
  const { recovery } = circuitView(circuit, now);
  if (state === 'warming') return [`${coin}: has recovered; circuits resolve ${coin} ends its isolation`];
  if (state !== 'tripped') return [];
  const [needed, calm] = [CIRCUIT.recovery / HOUR, `below ${CIRCUIT.subThresholdBps} bps`];
  if (!recovery?.sub_threshold_since)
    return [`${coin}: recovery 0 of ${needed} h; it begins with an observation ${calm}`];
  const hours = (now.getTime() - recovery.sub_threshold_since.getTime()) / HOUR;
  return [`${coin}: recovery ${hours.toFixed(1)} of ${needed} h ${calm}; warming at ${secondOf(recovery.warming_at)}`];
}

/** In whole seconds, and in minutes and hours once they say enough. */
function ageOf(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / SECOND));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
