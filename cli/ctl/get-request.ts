import { isRecord } from '../../base/collections/index.ts';
import { ApiError } from '../../api/status/index.ts';
import { metadataText } from './metadata.ts';
import { type Resource, pathOf } from './resources.ts';
import type { Terminal } from './terminal.ts';

/** Selection of objects of one resource. */
export interface Selection {
  readonly resource: Resource;
  /** Undefined selects all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined selects the collection. */
  readonly name: string | undefined;
  readonly subresource: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** Maximum number of objects in one response; 0 for no limit. */
  readonly chunk: number;
  /** Value of the header `Accept`. */
  readonly accept: string;
  /** True if the rows of tables contain whole objects. */
  readonly wholeObjects: boolean;
}

/** Returns the path of a selection without its query. */
export const selectionPath = ({ resource, namespace, name, subresource }: Selection): string =>
  `${pathOf(resource, namespace, name)}${subresource === '' ? '' : `/${subresource}`}`;

/** Returns a query of the parameters that are not empty. */
export function queryText(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/**
 * Returns the response to a selection. The pages of a collection are joined. If the token of a later page has
 * expired, the whole collection is requested once more without pages.
 */
export async function fetchSelection(terminal: Terminal, selection: Selection): Promise<unknown> {
  const { name, labelSelector, fieldSelector, chunk, wholeObjects } = selection;
  const includeObject = wholeObjects ? 'Object' : '';
  if (name !== undefined) return fetchPage(terminal, selection, { includeObject });
  const selectors = { labelSelector, fieldSelector, includeObject };
  const first = await fetchPage(terminal, selection, {
    ...selectors,
    limit: chunk === 0 ? '' : String(chunk),
  });
  const pages = [first];
  for (let token = continuation(first); token !== ''; token = continuation(pages.at(-1))) {
    try {
      pages.push(
        await fetchPage(terminal, selection, { ...selectors, limit: String(chunk), continue: token }),
      );
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status.code !== 410) throw thrown;
      return fetchPage(terminal, selection, selectors);
    }
  }
  return joined(pages);
}

const fetchPage = (
  terminal: Terminal,
  selection: Selection,
  parameters: Readonly<Record<string, string>>,
): Promise<unknown> =>
  terminal.ask({
    method: 'GET',
    path: `${selectionPath(selection)}${queryText(parameters)}`,
    headers: { accept: selection.accept },
  });

const continuation = (page: unknown): string => metadataText(page, 'continue');

/** Joins the items or rows of pages into the first page. */
function joined(pages: readonly unknown[]): unknown {
  const [first] = pages;
  if (pages.length === 1 || !isRecord(first)) return first;
  const name = Array.isArray(first['rows']) ? 'rows' : 'items';
  return {
    ...first,
    [name]: pages.flatMap((page) =>
      isRecord(page) && Array.isArray(page[name]) ? (page[name] as unknown[]) : [],
    ),
  };
}
