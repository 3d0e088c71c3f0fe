import { refreshInstrument } from '../../../application/market/refresh-instrument.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn, namedInstrumentIn } from '../arguments.ts';
import { type Command, UsageError } from '../command.ts';

/** The same as the endpoint of operators: a verification at once, and another try for failed records. */
export const refreshCommand: Command = {
  usage: 'IDENTITY',
  summary:
    'verify an instrument again at once (market:symbol:venue:asset_class:quote), and try its failed records again',
  read(args) {
    const { positionals } = argumentsIn(args, {});
    const [text, ...others] = positionals;
    if (text === undefined || others.length > 0) throw new UsageError('Name one instrument.');
    const sent = namedInstrumentIn(text);
    return async ({ storage, print }) => {
      const { instrument, status, job_id } = await refreshInstrument(storage, sent, operatorName());
      print(`${instrumentKey(instrument)}: ${status === 'queued' ? 'queued' : 'already queued'}, job ${job_id}`);
      return 0;
    };
  },
};
