import type { BodySink } from '../../../base/http/index.ts';

/**
 * Sink that reports the bytes of each write and a forced close. This is a class because object literals with
 * an accessor have one hidden class each, which makes a write to a thousand watchers slow.
 */
export class ObservedSink implements BodySink {
  readonly #sink: BodySink;
  readonly #onCut: () => void;
  readonly #onWrite: ((bytes: number) => void) | undefined;

  constructor(sink: BodySink, onCut: () => void, onWrite?: (bytes: number) => void) {
    this.#sink = sink;
    this.#onCut = onCut;
    this.#onWrite = onWrite;
  }

  get closed(): boolean {
    return this.#sink.closed;
  }

  write(chunk: Uint8Array): boolean {
    this.#onWrite?.(chunk.length);
    return this.#sink.write(chunk);
  }

  onDrain(run: () => void): void {
    this.#sink.onDrain(run);
  }

  onClose(run: () => void): void {
    this.#sink.onClose(run);
  }

  end(): void {
    this.#sink.end();
  }

  cut(): void {
    if (!this.closed) this.#onCut();
    if (this.#sink.cut) this.#sink.cut();
    else this.#sink.end();
  }
}
