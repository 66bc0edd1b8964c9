import { type Vocabulary, vocabularyOfGroups } from '../../api/vocabulary/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { Transport } from '../../runtime/index.ts';
import { parseJson, readText } from '../../runtime/client/index.ts';
import { isRecord } from '../../base/collections/index.ts';

const GROUPS_PATH = '/apis';
const HEADERS_TIMEOUT_MS = 10_000;

/**
 * Returns a function that detects the vocabulary of a server from its groups and caches it. After a failure,
 * the next call sends another request. Rejects with the transport's error if there is no response, and with
 * `ERR_SERVED_VOCABULARY` if the response does not identify a vocabulary.
 */
export function createServedVocabulary(transport: Transport): () => Promise<Vocabulary> {
  let found: Promise<Vocabulary> | undefined;
  return () => {
    found ??= findVocabulary(transport).catch((thrown: unknown) => {
      found = undefined;
      throw thrown;
    });
    return found;
  };
}

async function findVocabulary(transport: Transport): Promise<Vocabulary> {
  const { status, body } = await transport.send({
    method: 'GET',
    path: GROUPS_PATH,
    headers: { accept: 'application/json' },
    headersTimeoutMs: HEADERS_TIMEOUT_MS,
  });
  const text = await readText(body);
  if (status !== 200) throw undetected(`status ${status}`);
  const vocabulary = vocabularyOfGroups(groupNames(parseJson(text, `the answer to ${GROUPS_PATH}`)));
  if (vocabulary === undefined) throw undetected('no group that a vocabulary has');
  return vocabulary;
}

/** Returns the group names in an `APIGroupList`, or an empty list for any other value. */
function groupNames(list: unknown): readonly string[] {
  const groups = isRecord(list) ? list['groups'] : undefined;
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group: unknown) =>
    isRecord(group) && typeof group['name'] === 'string' ? [group['name']] : [],
  );
}

const undetected = (answer: string): CodedError<'ERR_SERVED_VOCABULARY'> =>
  new CodedError(
    'ERR_SERVED_VOCABULARY',
    `cannot detect the vocabulary of the server: ${GROUPS_PATH} returned ${answer}; set --vocabulary`,
  );
