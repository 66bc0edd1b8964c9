import type { HttpHeaders } from '../../../base/http/index.ts';

/** True if the request has headers that only browsers send. */
export const isFromBrowser = (headers: HttpHeaders): boolean =>
  headers['origin'] !== undefined ||
  headers['sec-fetch-site'] !== undefined ||
  headers['sec-fetch-mode'] !== undefined ||
  headers['referer'] !== undefined;

/**
 * True if a browser sends the request for a page of another origin. Pages cannot forge these headers.
 * `sec-fetch-site: same-origin` takes precedence over `Origin`: behind a local proxy such as `kubectl proxy`,
 * the origin differs from the host (https://www.w3.org/TR/fetch-metadata/).
 */
export function isForeignPage({
  'sec-fetch-site': sites,
  origin,
  referer,
  host: [host = ''] = [],
}: HttpHeaders): boolean {
  if (sites?.every((site) => site === 'same-origin')) return false;
  if (sites?.some((site) => site !== 'none' && site !== 'same-origin')) return true;
  const pages = origin ?? (sites === undefined ? referer : undefined) ?? [];
  return !pages.every((page) => isOrigin(page, `https://${host}`));
}

/** True if `page` has the origin of `server`. False for `null` and other strings that are not URLs. */
const isOrigin = (page: string, server: string): boolean =>
  URL.canParse(page) && URL.canParse(server) && new URL(page).origin === new URL(server).origin;
