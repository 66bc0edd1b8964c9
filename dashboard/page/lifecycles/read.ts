import { useEffect, useState } from 'preact/hooks';
import { sendForJson, token } from '../access.ts';
import type { Shown } from '../journal.ts';
import { useStore } from '../store.ts';

const PERIOD_MS = 2_000;

/**
 * Returns a document below `/journal/v1/lifecycles`, read again every two seconds. A replay does not affect it, because
 * the journal has no objects.
 */
export function useLifecycles<T>(path: string): Shown<T> {
  const bearer = useStore(token);
  const [shown, show] = useState<Shown<T> & { readonly path?: string }>({});
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isWanted = true;
    const read = async (): Promise<void> => {
      const next = await sendForJson<T>(`/journal/v1/${path}`).then(
        (document) => ({ document }),
        (thrown: unknown) => ({ problem: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
      );
      if (!isWanted) return;
      show({ ...next, path });
      timer = setTimeout(() => void read(), PERIOD_MS);
    };
    void read();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [path, bearer]);
  return shown.path === path ? shown : {};
}
