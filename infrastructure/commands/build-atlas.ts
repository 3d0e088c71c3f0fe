import { type Command, UsageError } from './command.ts';

/**
 * Has the service build the atlas at once. It is not built here: the environment of a command may name other thresholds
 * than that of the service.
 */
export const buildAtlasCommand: Command = {
  usage: '',
  summary: 'have the service build the atlas now, instead of with the next quarter of an hour',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes nothing.');
    return async ({ storage: { atlas, jobs }, print }) => {
      await atlas.expire();
      await jobs.enqueue('build-atlas');
      print('The service builds it as soon as it runs jobs.');
      return 0;
    };
  },
};
