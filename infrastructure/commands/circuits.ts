import { resolveCircuit, tripCircuit } from '../../application/circuits/change-circuit.ts';
import type { CircuitView } from '../../domain/circuits/circuit-view.ts';
import { COINS } from '../../domain/circuits/coin.ts';
import { operatorName } from '../operator-name.ts';
import { argumentsIn, oneOf } from './arguments.ts';
import { showCircuits } from './circuits-report.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from './command.ts';

type Run = (context: CommandContext) => Promise<ExitCode>;

/** Shows the circuits of the stablecoins, trips one or resolves one. */
export const circuitsCommand: Command = {
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
};

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
  return oneOf(COINS, text.toUpperCase(), 'The coin');
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
