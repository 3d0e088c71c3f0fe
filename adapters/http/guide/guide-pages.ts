import type { Request } from 'express';
import type { Limits } from '../../../domain/limits.ts';
import type { Endpoint } from '../endpoint.ts';
import { entityTag, namesTag } from '../entity-tag.ts';
import { COMMON_HEADERS } from '../headers.ts';
import type { Page, PageContent } from '../pages.ts';
import { agentGuide } from './agent-guide.ts';
import { llmsText, skillText } from './guide-texts.ts';

/** How long a copy may be used unasked, in seconds: the texts change with a release, or with the operator's limits. */
const FRESH = 300;

/** /llms.txt and /skill.md: the guide for agents, in two forms. @param origin as for `llmsText` */
export function guidePages(endpoints: readonly Endpoint[], limits: Limits, origin: string): Page[] {
  const page = (path: string, type: string, make: typeof llmsText): Page => {
    let made: GuideText | undefined;
    return {
      path,
      async render(request) {
        made ??= guideText(type, make(agentGuide(endpoints, limits), origin));
        return replyWith(made, request);
      },
    };
  };
  return [
    page('/llms.txt', 'text/plain; charset=utf-8', llmsText),
    page('/skill.md', 'text/markdown; charset=utf-8', skillText),
  ];
}

interface GuideText {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

function guideText(type: string, body: string): GuideText {
  return { type, body, etag: entityTag(body) };
}

function replyWith({ type, body, etag }: GuideText, request: Request): PageContent {
  const headers = [
    ...COMMON_HEADERS,
    ...['cache-control', `public, max-age=${FRESH}`, 'etag', etag],
    ...['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ];
  return namesTag(request.headers['if-none-match'], etag)
    ? { status: 304, headers }
    : { status: 200, type, body, headers };
}
