import { type Vocabulary, vocabularyOfGroups } from '../api/vocabulary/index.ts';
import { CodedError } from '../base/errors/index.ts';
import type { Transport } from '../runtime/index.ts';
import { parseJson, readText } from '../runtime/client/index.ts';
import { isRecord } from '../base/collections/index.ts';

const GROUPS_PATH = '/apis';
const HEADERS_TIMEOUT_MS = 10_000;

/**
 * Finds the vocabulary of a server from its groups and remembers it; after a failure the next call asks
 * again. Rejects with the transport's error if there is no response, and with `ERR_SERVED_VOCABULARY` if the
 * response reveals nothing.
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
  if (status !== 200) throw untold(`status ${status}`);
  const vocabulary = vocabularyOfGroups(groupNames(parseJson(text, `the answer to ${GROUPS_PATH}`)));
  if (vocabulary === undefined) throw untold('no group that a vocabulary has');
  return vocabulary;
}

/** Returns the group names of an `APIGroupList`; empty for any other document. */
function groupNames(list: unknown): readonly string[] {
  const groups = isRecord(list) ? list['groups'] : undefined;
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group: unknown) =>
    isRecord(group) && typeof group['name'] === 'string' ? [group['name']] : [],
  );
}

const untold = (answer: string): CodedError<'ERR_SERVED_VOCABULARY'> =>
  new CodedError(
    'ERR_SERVED_VOCABULARY',
    `the server does not tell its vocabulary: ${GROUPS_PATH} was answered with ${answer}; name it with --vocabulary`,
  );
