import { useEffect, useState } from 'preact/hooks';
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
import { toResource } from '../routes.ts';
import type { PageSettings } from '../settings.ts';
import { watchObject } from '../watch-object.ts';
import { Loading } from './bits.tsx';
import { WorkedOnBy } from './worked-on-by.tsx';

const NOTHING: Permissions = { update: false, delete: false };

interface EditorProps {
  readonly resource: ServedResource;
  readonly object: string;
  readonly settings: PageSettings;
}

/** State of the editor. It has the object, its draft, and the user's permissions. */
interface Edited {
  /** The object as YAML. It is undefined until the first read, and '' if the object does not exist. */
  readonly yaml: string | undefined;
  /** The edited text. It is undefined unless the user is editing. */
  readonly draft: string | undefined;
  readonly may: Permissions;
  /** Result of the last attempt, or '' if there is none to display. */
  readonly message: string;
  setDraft(draft: string | undefined): void;
  save(): void;
  remove(): void;
}

function useEdited({ resource, object, settings }: EditorProps): Edited {
  const [yaml, setYaml] = useState<string | undefined>(undefined);
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const [may, setMay] = useState(NOTHING);
  const [message, setMessage] = useState('');

  const attempt = (work: () => Promise<string>): void =>
    void work().then(setMessage, (thrown: unknown) =>
      setMessage(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  const read = async (): Promise<string> => {
    setYaml((await readYaml(resource, object)) ?? '');
    return '';
  };
  useEffect(() => {
    attempt(read);
    void permissions(settings.groups.authorization, resource, object).then(setMay);
    const leaving = new AbortController();
    const changed = (): void => void read().catch(() => {});
    void watchObject(resource, object, settings.groups.meta, leaving.signal, changed);
    return () => leaving.abort();
  }, []);
  const path = objectPath(resource, object);
  const write = async (): Promise<string> => {
    await send(path, { method: 'PUT', body: draft ?? '', contentType: YAML, accept: YAML });
    setDraft(undefined);
    await read();
    return 'Saved.';
  };
  const remove = async (): Promise<string> => {
    await send(path, { method: 'DELETE' });
    await read();
    return 'Deletion requested.';
  };
  return { yaml, draft, may, message, setDraft, save: () => attempt(write), remove: () => attempt(remove) };
}

/**
 * An object as YAML, which is updated at each change. The buttons to edit and delete exist only if the server
 * permits these actions.
 */
export function ObjectEditor(props: EditorProps) {
  const { resource, object } = props;
  const edited = useEdited(props);
  const { yaml, message } = edited;
  return (
    <section class="card" aria-labelledby="yaml">
      <header class="bar">
        <h2 id="yaml">
          <a href={toResource(resourceId(resource))}>{resource.plural}</a> / {object}
        </h2>
        <div class="actions">
          {edited.draft === undefined ? (
            Boolean(yaml) && <Actions object={object} edited={edited} />
          ) : (
            <DraftActions edited={edited} />
          )}
        </div>
      </header>
      {message !== '' && (
        <p class="warning" role="status">
          {message}
        </p>
      )}
      {Boolean(yaml) && <WorkedOnBy resource={resource} object={object} />}
      <ObjectText edited={edited} />
    </section>
  );
}

/** Actions on an object that is not being edited. Deleting needs a second click. */
function Actions({ object, edited }: { object: string; edited: Edited }) {
  const { yaml, may, setDraft, remove } = edited;
  const [sure, setSure] = useState(false);
  const onDelete = (): void => {
    if (sure) remove();
    setSure(!sure);
  };
  return (
    <>
      {may.update && (
        <button type="button" onClick={() => setDraft(yaml)}>
          edit
        </button>
      )}
      {may.delete && (
        <button type="button" class="danger" onClick={onDelete}>
          {sure ? `delete ${object} for good` : 'delete'}
        </button>
      )}
      {sure && (
        <button type="button" onClick={() => setSure(false)}>
          keep
        </button>
      )}
    </>
  );
}

const DraftActions = ({ edited: { save, setDraft } }: { edited: Edited }) => (
  <>
    <button type="button" class="primary" onClick={save}>
      save
    </button>
    <button type="button" onClick={() => setDraft(undefined)}>
      cancel
    </button>
  </>
);

function ObjectText({ edited: { yaml, draft, setDraft } }: { edited: Edited }) {
  if (draft !== undefined)
    return (
      <textarea
        class="code tall"
        aria-label="edit the object as YAML"
        spellcheck={false}
        value={draft}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      />
    );
  if (yaml === undefined) return <Loading />;
  return (
    <pre class="code tall" tabIndex={0} role="region" aria-label="the object as YAML">
      {yaml || 'The object does not exist.'}
    </pre>
  );
}
