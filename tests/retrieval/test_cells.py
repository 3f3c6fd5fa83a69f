import pyarrow as pa
import pytest

from graphrag_lite import tables
from graphrag_lite.errors import TableError
from graphrag_lite.tables import row_groups
from graphrag_lite.tables.row_groups import RowGroups

DOCUMENT = dict.fromkeys(("creation_date", "source_id", "path", "content_sha256", "mime", "language"), "")
DOCUMENT |= {"created_at": "", "metadata": "", "raw_data": "", "blocks": [], "text_unit_ids": []}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Texts of 300 documents in groups of the least size."""
    monkeypatch.setattr(row_groups, "LONG", 30_000)
    monkeypatch.setattr(tables, "GROUP_BYTES", 1)
    rows = [
        DOCUMENT | {"id": f"{i:032}", "human_readable_id": i, "title": f"t{i}", "text": f"{i} " * 90}
        for i in range(300)
    ]
    tables.write(tmp_path, "documents", tables.make("documents", rows))
    return tmp_path


def test_cells_are_those_of_the_whole_table(folder):
    groups, whole = RowGroups(folder, "documents"), tables.read(folder, "documents")
    assert groups.long == {"text"}
    assert [groups.value("text", row) for row in range(300)] == whole["text"].to_pylist()


def test_of_a_long_column_only_the_rows_beside_a_cell_are_read(folder):
    groups = RowGroups(folder, "documents")
    assert groups.value("text", 299) == "299 " * 90
    (read,) = groups._read.values()
    assert len(read) == 300 % tables.LEAST_ROWS


def test_a_damaged_group_is_told(folder):
    groups, path = RowGroups(folder, "documents"), tables.path_in(folder, "documents")
    content = bytearray(path.read_bytes())
    stored = groups._metadata(0).row_group(0).column(3)
    end = stored.data_page_offset + stored.total_compressed_size
    content[end - 140 : end - 100] = bytes(40)
    path.write_bytes(content)
    with pytest.raises(TableError, match="damaged"):
        groups.value("text", 0)
    path.unlink()
    with pytest.raises(TableError, match="missing"):
        groups.value("text", 100)


def test_groups_are_cut_by_what_a_table_holds_however_it_came_to_be():
    rows = [DOCUMENT | {"id": f"{i:032}", "text": "a" * 900} for i in range(2000)]
    made = tables.make("documents", [row | {"human_readable_id": i, "title": ""} for i, row in enumerate(rows)])
    text = made["text"].combine_chunks()
    noted = pa.Array.from_buffers(text.type, len(text), [pa.py_buffer(b"\xff" * 256), *text.buffers()[1:]])
    place = made.column_names.index("text")
    other = made.set_column(place, made.schema.field("text"), noted)
    assert other.nbytes > made.nbytes
    assert tables.sha256(other, "documents") == tables.sha256(made, "documents")
