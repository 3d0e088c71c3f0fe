import type { Limits } from '../../../domain/limits.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from '../kit/reply/static-text.ts';
import type { ServedPage } from '../kit/served-page.ts';
import { agentGuide } from './agent-guide.ts';
import { llmsText } from './guide-texts.ts';
import { skillText } from './skill-text.ts';

/**
 * /llms.txt and /skill.md: the guide for agents, whole and as a short skill.
 * @param origin as for `llmsText`
 * @param mcp whether the Model Context Protocol is served
 */
export function guidePages(endpoints: readonly Endpoint[], limits: Limits, origin: string, mcp: boolean): ServedPage[] {
  const page = (path: string, type: string, make: typeof llmsText): ServedPage => {
    let made: StaticText | undefined;
    return {
      path,
      async render(request) {
        made ??= staticText(type, make(agentGuide(endpoints, limits, mcp), origin));
        return staticReply(made, request, TEXT_HEADERS);
      },
    };
  };
  return [
    page('/llms.txt', 'text/plain; charset=utf-8', llmsText),
    page('/skill.md', 'text/markdown; charset=utf-8', skillText),
  ];
}
