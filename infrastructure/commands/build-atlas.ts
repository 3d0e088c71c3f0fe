import { type Command, UsageError } from './command.ts';

/**
 * Makes the service build the atlas at once. The command does not build it, because its environment may have other
 * thresholds than the service.
 */
export const buildAtlasCommand: Command = {
  usage: '',
  summary: 'make the service build the atlas now, instead of at its next scheduled run',
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
