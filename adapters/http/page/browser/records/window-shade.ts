import type { IChartApi, ISeriesPrimitive, Time } from 'lightweight-charts';

/** Shades the window of a decision behind the prices, from the place of one time to that of another, ends included. */
export function windowShade(chart: IChartApi, from: Time, to: Time, color: string): ISeriesPrimitive<Time> {
  const view = {
    zOrder: () => 'bottom' as const,
    renderer: () => ({
      draw(target: Target) {
        target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio: ratio }) => {
          const scale = chart.timeScale();
          const [left, right] = [scale.timeToCoordinate(from), scale.timeToCoordinate(to)];
          if (left === null || right === null) return;
          const half = scale.options().barSpacing / 2;
          context.fillStyle = color;
          context.fillRect((left - half) * ratio, 0, (right - left + 2 * half) * ratio, bitmapSize.height);
        });
      },
    }),
  };
  return { paneViews: () => [view] };
}

type Renderer = NonNullable<
  ReturnType<ReturnType<NonNullable<ISeriesPrimitive<Time>['paneViews']>>[number]['renderer']>
>;
type Target = Parameters<Renderer['draw']>[0];
