/** A cell of a row: null where the file holds nothing, undefined where what it holds cannot be read as its type. */
export type Maybe<T> = T | null | undefined;
