import { resolveCircuit, tripCircuit } from '../../application/circuits/change-circuit.ts';
import type { CircuitView } from '../../domain/circuits/circuit-view.ts';
import { COINS } from '../../domain/circuits/coin.ts';
import { argumentsIn, oneOf } from './arguments.ts';
import { showCircuits } from './circuits-report.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from './command.ts';
import { COMMAND_LINE } from './refresh.ts';

type Run = (context: CommandContext) => Promise<ExitCode>;

/** The circuits of the stablecoins, and what operators do to them. */
export const circuitsCommand: Command = {
  usage: '[trip COIN REASON | resolve COIN --justification TEXT --evidence URL ...]',
  summary:
    'show the circuits of USDT and USDC, exit code 1 while one is not normal or its price is not known; ' +
    'or trip one, or resolve one that is warming',
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
  const [named, ...words] = positionals;
  const coin = coinIn(named);
  return async ({ storage, print }) => {
    print(stateLine(await tripCircuit(announced(storage), coin, words.join(' '), COMMAND_LINE)));
    return 0;
  };
}

function readResolution(args: readonly string[]): Run {
  const options = { justification: { type: 'string' }, evidence: { type: 'string', multiple: true } } as const;
  const { positionals, values } = argumentsIn(args, options);
  if (positionals.length > 1) throw new UsageError('Name one coin.');
  const coin = coinIn(positionals[0]);
  const resolution = { justification: values.justification ?? '', evidence_urls: values.evidence ?? [] };
  return async ({ storage, print }) => {
    print(stateLine(await resolveCircuit(announced(storage), coin, resolution, COMMAND_LINE)));
    return 0;
  };
}

function coinIn(named: string | undefined) {
  if (named === undefined) throw new UsageError(`Name a coin: ${COINS.join(' or ')}.`);
  return oneOf(COINS, named.toUpperCase(), 'The coin');
}

/** The operator sees what the command prints. */
function announced({ transaction }: CommandContext['storage']) {
  return { transaction, announce: () => undefined };
}

function stateLine({ coin, state, snapshot_id }: CircuitView): string {
  return `${coin}: is ${state} now (${snapshot_id})`;
}
