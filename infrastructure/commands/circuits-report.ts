import type { Circuit } from '../../domain/circuits/circuit.ts';
import { circuitView } from '../../domain/circuits/circuit-view.ts';
import { isStale } from '../../domain/circuits/observe.ts';
import { CIRCUIT } from '../../domain/limits.ts';
import { DAY, HOUR, rfc3339, SECOND } from '../../domain/time.ts';
import type { CommandContext, ExitCode } from './command.ts';
import { driftChart } from './text/drift-chart.ts';
import { priceText } from './text/price-chart.ts';
import { table } from './text/text-table.ts';

const HEADERS = ['coin', 'state', 'since', 'price', 'drift bps', 'observed', 'reason'];

/** Exit code 1 while a circuit is not normal or has no fresh price. */
export async function showCircuits({ storage, config, print, report }: CommandContext): Promise<ExitCode> {
  const now = await storage.clock.now();
  const circuits = await storage.circuits.all();
  print(
    table(
      HEADERS,
      circuits.map((circuit) => cellsOf(circuit, now)),
    ),
  );
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

function cellsOf(circuit: Circuit, now: Date): readonly string[] {
  const { coin, state, since, reason, peg } = circuit;
  const observed = peg ? `${ageOf(peg.observed_at, now)} ago${isStale(circuit, now) ? ', stale' : ''}` : 'never';
  const [price, drift] = peg ? [priceText(peg.price), priceText(peg.drift_bps)] : ['', ''];
  return [coin, state, since ? timeText(since) : 'no change', price, drift, observed, reason ?? ''];
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
  return [`${coin}: recovery ${hours.toFixed(1)} of ${needed} h ${calm}; warming at ${timeText(recovery.warming_at)}`];
}

function timeText(at: Date): string {
  return `${rfc3339(at).slice(0, 19)}Z`;
}

/** In whole seconds, and in minutes and hours once they say enough. */
function ageOf(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / SECOND));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
