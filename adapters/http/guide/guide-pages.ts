import type { Limits } from '../../../domain/limits.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from '../kit/reply/static-reply.ts';
import type { ServedPage } from '../kit/unmatched.ts';
import { agentGuide, type ServiceGuide } from './agent-guide.ts';
import type { RequestLine } from './guide-requests.ts';
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

/**
 * The guide as /llms.txt: a title, a summary, the guide without headings, then sections of links (llmstxt.org).
 * @param origin of the service, without a closing slash; empty where only the reader knows it
 */
export function llmsText({ summary, parts, further, mcp }: ServiceGuide, origin: string): string {
  return `${[
    '# Stancebook',
    `> ${summary}`,
    address(origin),
    ...parts.map(({ title, text }) => `**${title}**\n\n${text}`),
    '## Further requests',
    further.map((request) => `- ${requestLink(request, origin)}`).join('\n'),
    '## Documents',
    documents(origin, mcp),
  ].join('\n\n')}\n`;
}

function address(origin: string): string {
  return origin === ''
    ? 'All paths start at the address that this text was read from.'
    : `All paths start at ${origin}.`;
}

function requestLink({ id, method, path, summary }: RequestLine, origin: string): string {
  return `[${summary}](${origin}/docs/${id}): \`${method} ${path}\``;
}

function documents(origin: string, mcp: boolean): string {
  return [
    ...(mcp ? [`- [MCP](${origin}/mcp): the same as tools`] : []),
    `- [OpenAPI](${origin}/openapi.json): every request, for programs`,
    `- [Reference](${origin}/docs): the same for people`,
    `- [skill.md](${origin}/skill.md): an Agent Skill; save it as stancebook/SKILL.md`,
  ].join('\n');
}
