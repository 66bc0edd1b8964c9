import { useEffect, useState } from 'preact/hooks';
import type { ControllerKey } from '../../model/acts/act.ts';
import { send } from '../access.ts';
import {
  type Permissions,
  type ServedResource,
  YAML,
  objectPath,
  permissions,
  readYaml,
  resourceId,
} from '../api.ts';
import { type Draft, draftOf, storeDraft, withVersionOf } from '../drafts.ts';
import { toResource } from '../routes.ts';
import type { PageSettings } from '../settings.ts';
import { watchObject } from '../watch-object.ts';
import { Loading } from './bits.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { LineDiff } from './line-diff.tsx';
import { WorkedOnBy } from './worked-on-by.tsx';

const NOTHING: Permissions = { update: false, delete: false };

interface EditorProps {
  readonly resource: ServedResource;
  readonly object: string;
  readonly settings: PageSettings;
  readonly keys: readonly ControllerKey[];
  /** Called after each read of the object. */
  readonly onRead: () => void;
}

/** State of the editor. It has the object, its draft, and the user's permissions. */
interface Edited {
  /** The object as YAML. It is undefined until the first read, and '' if the object does not exist. */
  readonly yaml: string | undefined;
  /** The unsaved edit. It is undefined unless the user is editing. */
  readonly draft: Draft | undefined;
  readonly may: Permissions;
  /** Result of the last attempt, or '' if there is none to display. */
  readonly message: string;
  setDraft(draft: Draft | undefined): void;
  save(): void;
  remove(propagation: string): void;
}

function useEdited({ resource, object, settings, onRead }: EditorProps): Edited {
  const path = objectPath(resource, object);
  const [yaml, setYaml] = useState<string | undefined>(undefined);
  const [draft, show] = useState(draftOf(path));
  const [may, setMay] = useState(NOTHING);
  const [message, setMessage] = useState(draft === undefined ? '' : 'This is your unsaved edit.');

  const attempt = (work: () => Promise<string>): void =>
    void work().then(setMessage, (thrown: unknown) =>
      setMessage(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  const read = async (): Promise<void> => {
    setYaml((await readYaml(resource, object)) ?? '');
    onRead();
  };
  const setDraft = (next: Draft | undefined): void => {
    storeDraft(path, next);
    show(next);
  };
  useEffect(() => {
    read().catch((thrown: unknown) => setMessage(thrown instanceof Error ? thrown.message : String(thrown)));
    void permissions(settings.groups.authorization, resource, object).then(setMay);
    const leaving = new AbortController();
    const changed = (): void => void read().catch(() => {});
    void watchObject(resource, object, settings.groups.meta, leaving.signal, changed);
    return () => leaving.abort();
  }, []);
  const write = async (): Promise<string> => {
    // The page reads an error's message only from JSON.
    await send(path, {
      method: 'PUT',
      body: draft?.text ?? '',
      contentType: YAML,
      accept: 'application/json',
    });
    setDraft(undefined);
    await read();
    return 'Saved.';
  };
  const remove = async (propagationPolicy: string): Promise<string> => {
    const body = JSON.stringify({ propagationPolicy });
    await send(path, { method: 'DELETE', body, contentType: 'application/json' });
    await read();
    return 'Deletion requested.';
  };
  return {
    yaml,
    draft,
    may,
    message,
    setDraft,
    save: () => attempt(write),
    remove: (propagation) => attempt(() => remove(propagation)),
  };
}

/**
 * An object as YAML, which is updated at each change. The buttons to edit and delete exist only if the server
 * permits these actions.
 */
export function ObjectEditor(props: EditorProps) {
  const { resource, object } = props;
  const edited = useEdited(props);
  const [deleting, setDeleting] = useState(false);
  const { yaml, draft, may, message } = edited;
  const exists = Boolean(yaml);
  return (
    <section class="card" aria-labelledby="yaml">
      <header class="bar">
        <h2 id="yaml">
          <a href={toResource(resourceId(resource))}>{resource.plural}</a> / {object}
        </h2>
        <div class="actions">
          {draft === undefined && exists && may.update && (
            <button type="button" onClick={() => edited.setDraft({ text: yaml ?? '', base: yaml ?? '' })}>
              edit
            </button>
          )}
          {draft === undefined && exists && may.delete && (
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              delete
            </button>
          )}
        </div>
      </header>
      {message !== '' && (
        <p class="warning" role="status">
          {message}
        </p>
      )}
      {exists && <WorkedOnBy keys={props.keys} />}
      {deleting && (
        <DeleteDialog
          resource={resource}
          object={object}
          metaGroup={props.settings.groups.meta}
          onClose={() => setDeleting(false)}
          onDelete={edited.remove}
        />
      )}
      {draft === undefined ? <ObjectText yaml={yaml} /> : <DraftEditor draft={draft} edited={edited} />}
    </section>
  );
}

function ObjectText({ yaml }: { yaml: string | undefined }) {
  if (yaml === undefined) return <Loading />;
  return (
    <pre class="code tall" tabIndex={0} role="region" aria-label="the object as YAML">
      {yaml || 'The object does not exist.'}
    </pre>
  );
}

/** The edited text, or its changes for a review. Only reviewed changes can be saved. */
function DraftEditor({ draft, edited }: { draft: Draft; edited: Edited }) {
  const { setDraft, save } = edited;
  const [reviews, setReviews] = useState(false);
  const isChanged = draft.text !== draft.base;
  return (
    <>
      <div class="bar">
        <div class="actions">
          {reviews ? (
            <button type="button" class="primary" disabled={!isChanged} onClick={save}>
              save
            </button>
          ) : (
            <button type="button" class="primary" onClick={() => setReviews(true)}>
              review changes
            </button>
          )}
          {reviews && (
            <button type="button" onClick={() => setReviews(false)}>
              edit further
            </button>
          )}
          <button type="button" onClick={() => setDraft(undefined)}>
            {isChanged ? 'discard the edit' : 'cancel'}
          </button>
        </div>
      </div>
      <ChangedMeanwhile draft={draft} edited={edited} />
      {reviews && !isChanged && <p class="soft">The text is unchanged.</p>}
      {reviews && isChanged && <LineDiff before={draft.base} now={draft.text} label="changes to save" />}
      {!reviews && (
        <textarea
          class="code tall"
          aria-label="edit the object as YAML"
          spellcheck={false}
          value={draft.text}
          onInput={({ currentTarget }) => setDraft({ ...draft, text: currentTarget.value })}
        />
      )}
    </>
  );
}

/** Warning with the changes that others made to the object since the edit began. */
function ChangedMeanwhile({ draft, edited: { yaml, setDraft } }: { draft: Draft; edited: Edited }) {
  if (yaml === undefined || yaml === draft.base) return null;
  if (yaml === '')
    return (
      <p class="warning" role="alert">
        The object was deleted after you began to edit.
      </p>
    );
  const continueOnNewVersion = (): void => setDraft({ base: yaml, text: withVersionOf(draft.text, yaml) });
  return (
    <div class="warning" role="alert">
      <p>
        The object changed after you began to edit. The server rejects your text until you continue on the new
        version; saving then overwrites the changes below unless you repeat them in your text.
      </p>
      <LineDiff before={draft.base} now={yaml} label="changes by others" />
      <div class="actions">
        <button type="button" onClick={continueOnNewVersion}>
          continue on the new version
        </button>
      </div>
    </div>
  );
}
