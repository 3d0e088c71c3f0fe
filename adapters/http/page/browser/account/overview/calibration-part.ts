import { calibrationPart, countedBand, FEWEST_OF_SHARE } from '../../agents/calibration-drawing.ts';
import type { TrackCounts } from '../../agents/track-parts.ts';
import { recordPath } from '../../agents/track-query.ts';
import { ask } from '../../kit/ask.ts';
import { foldedFigure } from '../../kit/charts.ts';
import { h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { showNewest } from '../../kit/states.ts';
import type { Reads } from './overview-reads.ts';

type Record = TrackCounts & { readonly retroactive: TrackCounts };

/** Stated confidence against what happened, of the agent with the most graded decisions of this kind. */
export async function showCalibration(box: HTMLElement, signal: AbortSignal, { outcomes }: Reads): Promise<void> {
  await showNewest(box, signal, {
    what: 'the calibration',
    async read() {
      const [{ origin, since }, { items }] = await Promise.all([
        outcomes(),
        ask<Schemas['AgentList']>('/api/v1/owner/agents?include_archived=true', { signal }),
      ]);
      const gradedOf = ({ track_record }: Schemas['Agent']) =>
        (origin === 'realtime' ? track_record : track_record.retroactive).evaluated_count;
      const [agent] = items.toSorted((a, b) => gradedOf(b) - gradedOf(a));
      if (!agent) return null;
      const { agent_id, name } = agent;
      const record = await ask<Record>(recordPath(agent_id, since === null ? {} : { date_from: since }), { signal });
      const { calibration = [] } = origin === 'realtime' ? record : record.retroactive;
      return { agent_id, name, origin, calibration, others: items.length - 1 };
    },
    show(found) {
      if (found === null) return [];
      const { agent_id, name, origin, calibration, others } = found;
      const bands = calibration.map(countedBand);
      const link = h(
        'a',
        { href: `#/compare?${new URLSearchParams({ a: agent_id, origin })}` },
        others > 0 ? 'Other agents, side by side' : 'With horizons and cautions',
      );
      const content =
        bands.length === 0
          ? h(
              'div',
              { class: 'nothing' },
              h('p', {}, 'No decision that was submitted in this range stated a confidence and is graded.'),
            )
          : calibrationPart(bands, name);
      const about = `Stated confidence against what happened, of ${name}, by submission. Bars are 95\u00a0% intervals; fewer than ${FEWEST_OF_SHARE} are dots.`;
      return [foldedFigure('Calibration', about, [content, h('p', {}, link)], null)];
    },
  });
}
