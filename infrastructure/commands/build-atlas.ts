import { buildAtlas } from '../../application/atlas/build-atlas.ts';
import { type Command, UsageError } from './command.ts';

/** Builds the atlas at once, without waiting for the job. */
export const buildAtlasCommand: Command = {
  usage: '',
  summary: 'build the atlas now, instead of with the next quarter of an hour',
  read(args) {
    if (args.length > 0) throw new UsageError('This command takes nothing.');
    return async ({ storage: { atlas }, config: { wisdom }, print }) => {
      if (!(await buildAtlas({ atlas, settings: { wisdom } }))) {
        print('Another process is building it.');
        return 1;
      }
      const network = await atlas.network();
      print(`${network?.nodes.length} nodes and ${network?.edges.length} links.`);
      return 0;
    };
  },
};
