import { type Command, type CommandContext, UsageError } from '../command.ts';

/** Counts the decisions of all cohorts again and compares the stored counts; `--rebuild` first replaces these. */
export const checkCohortsCommand: Command = {
  usage: '[--rebuild]',
  summary: 'count all cohorts again and show where the stored counts differ; --rebuild makes these again first',
  json: '{ differences: [{ cell, stored, counted }] }; null where one of the two does not exist',
  read(args) {
    const [option, ...others] = args;
    if (others.length > 0 || (option !== undefined && option !== '--rebuild')) {
      throw new UsageError('This command takes --rebuild or nothing.');
    }
    return async (context) => {
      if (option !== undefined) await rebuild(context);
      const differences = await compareCohorts(context);
      context.report({ differences });
      return differences.length === 0 ? 0 : 1;
    };
  },
};

export interface CountDifference {
  readonly cell: string;
  readonly stored: string | null;
  readonly counted: string | null;
}

/** Prints and returns the stored counts that differ from the decisions. */
export async function compareCohorts({
  storage,
  print,
}: Pick<CommandContext, 'storage' | 'print'>): Promise<readonly CountDifference[]> {
  const faults = await storage.cohortCells.check();
  const differences = faults.map(({ cell, kept, counted }) => ({ cell, stored: kept, counted }));
  for (const difference of differences) print(differenceText(difference));
  print(differences.length === 0 ? 'All counts match the decisions.' : `${differences.length} counts differ.`);
  return differences;
}

async function rebuild({ storage, print }: CommandContext): Promise<void> {
  await storage.cohortCells.rebuild();
  print('All counts were made again.');
}

function differenceText({ cell, stored, counted }: CountDifference): string {
  return `${cell}: stored ${stored ?? 'nothing'}, counted ${counted ?? 'nothing'}`;
}
