import { type ImportReport, importPackagedData } from '../../../adapters/market/files/packaged-data.ts';
import { refreshInstrument } from '../../../application/market/refresh-instrument.ts';
import { operatorName } from '../../operator-name.ts';
import { instrumentIn } from '../arguments.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

/** Loads the price history that is installed with the project, as a start with the embedded database does by itself. */
export const loadPackagedCommand: Command = {
  usage: '',
  summary:
    'put the price history that is installed with the project into the bar store; what is there stays. ' +
    'Only a service with DATABASE_URL needs this',
  json: '{ bars_dir, instruments: [{ instrument, source, result: loaded, present or not_installed }] }',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    return loadPackaged;
  },
};

const RESULTS = { imported: 'loaded', present: 'present', absent: 'not_installed' } as const;

async function loadPackaged(context: CommandContext): Promise<ExitCode> {
  const { barsDir } = context.config.marketData;
  const imports = await importPackagedData(barsDir);
  for (const each of imports) if (each.outcome === 'imported') await verifyAgain(context, each);
  const instruments = imports.map(({ instrument, source, outcome }) => ({
    instrument,
    source,
    result: RESULTS[outcome],
  }));
  const rows = instruments.map(({ instrument, source, result }) => [instrument, source, result.replace('_', ' ')]);
  context.print(table(['instrument', 'source', 'result'], rows));
  const isAbsent = instruments.some(({ result }) => result === 'not_installed');
  context.print(
    isAbsent
      ? 'Some packages are not installed: the image has none. Run npm ci in scripts/prices of a checkout, then this command there.'
      : `The bars are in ${barsDir}. A running service knows them within a minute.`,
  );
  context.report({ bars_dir: barsDir, instruments });
  return isAbsent ? 1 : 0;
}

/** Retries the decisions that failed because the bars were missing. */
async function verifyAgain({ storage }: CommandContext, { instrument, source }: ImportReport[number]): Promise<void> {
  const entry = { actor: operatorName(), action: 'load_packaged', subject: instrument, detail: { source } };
  await storage.audit.append(entry);
  await refreshInstrument(storage, instrumentIn(instrument), operatorName());
}
