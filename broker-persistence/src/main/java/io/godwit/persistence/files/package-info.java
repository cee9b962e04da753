/**
 * The journal in files. Start with {@code FileJournal}.
 *
 * <p>Numbers are big-endian; every checksum is a CRC32C.
 *
 * <pre>
 * segments            the list, text: store, next number, released,
 *                     synced, one line for each segment (file, number, first
 *                     position), checksum. Replaced as a whole: when a segment is
 *                     begun and at an orderly end
 * 0000000000000001.segment    a segment, named by its first number; the list says what it is now
 * segments.new        a list that was not finished
 *
 * segment  0   "GodwitJ" 7 | format 1 | store 8 | number 8 | first position 8 | length 8 |
 *              checksum of all before it 4 | zeros up to 512
 *          512 record | record | ...
 * record   length of bytes 4 | checksum 4 | position 8 | synced 8 | bytes
 *          checksum: of store, number of the segment, length, position, synced, bytes
 *          synced: the position up to which all was synced when the record was written
 * </pre>
 *
 * <p>A record begins at the next multiple of 8, or of 512 when what lies before it was synced: a
 * sector with synced bytes is never written again, so that no torn write can hurt them. A record
 * lies in one segment; one that is larger than a segment has one of its own.
 *
 * <p><i>Used again.</i> A released segment gets a new number and header once the list on the disk
 * doesn't name it any more. The checksum of a record includes the number: what the former use has
 * left is no record.
 *
 * <p><i>Torn or damaged.</i> All segments but the last were synced before the next one was listed:
 * whatever can't be read there is damage. In the last one, records are read in order of position.
 * The first that can't be read is torn when no record behind it, and not the list, says that it was
 * synced; records behind it are then dropped with it, and zeroed: a power cut keeps and loses
 * unsynced sectors in any order. Otherwise it is damage, and nothing is opened. What can't be told
 * from a torn end is damage to the very last records after a crash, those since the last sync but
 * one.
 */
@NullMarked
package io.godwit.persistence.files;

import org.jspecify.annotations.NullMarked;
